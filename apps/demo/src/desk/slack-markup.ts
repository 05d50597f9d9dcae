/**
 * Markdown as Slack writes it: `**bold**` becomes `*bold*`, `[label](https://…)` becomes
 * `<https://…|label>`. What Slack itself would act on (`<!channel>`, `<@user>`) is made plain text
 * first, so that no name and no note can call a whole channel.
 */
export function toSlackMarkup(markdown: string): string {
  return markdown
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\[([^[\]|\n]{1,200})\]\((https?:\/\/[^\s()|]{1,500})\)/g, '<$2|$1>')
    .replace(/\*\*([^*\n]{1,200})\*\*/g, '*$1*')
}
