/** How a text may be set off on a terminal. */
export type Paint = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

/** All that the command needs of the world. Paths are as the user gave them. */
export interface CommandIo {
  /**
   * The content of a file as text; a file larger than anything that is read may be refused.
   * Rejects with an error whose message says why there is none.
   */
  readFile(path: string): Promise<string>
  /**
   * Paths of the skill files (`SKILL.md`) in a folder and the folders within, in a fixed order;
   * undefined when the path is not that of a folder.
   */
  skillFilesIn(path: string): Promise<readonly string[] | undefined>
  /** Everything on the standard input; may be asked for once. */
  readInput(): Promise<string>
  /** Writes to the standard output. */
  write(text: string): void
  /** Writes to the standard error output. */
  writeError(text: string): void
  /** Sets a text off, where the standard output can show it. */
  paint(paint: Paint, text: string): string
  /** The version of this package. */
  readonly version: string
}
