/** Between the sections of a layer, and the pieces of a section, stands a blank line (OPEN-PROMPT-5). */
export const separator = '\n\n'
