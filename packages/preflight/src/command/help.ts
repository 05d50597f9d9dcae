/** What `--help` prints. */
export const helpText = `preflight: checks and explains the rules of skills

  preflight lint FILE... [--tools TOOLS] [--strict] [--json]
      Faults in the files, and rules in them that cannot work. All files are one set of skills.
  preflight explain FILE... --state STATE [--tool NAME] [--called NAMES] [--json]
      Which skills take part in a state, and whether a tool may be called, or what to call first.
  preflight render FILE... --state STATE [--json]
      The rules as the model reads them in a state.

  FILE            YAML, JSON, SKILL.md, a folder with SKILL.md files in it, or - for any of the
                  first three on the standard input
  --tools TOOLS   the names of all tools there are, with commas between them, or a JSON file, or -
                  for JSON on the standard input: a list of names or of objects with a name, or
                  either under the key "tools"
  --strict        warnings count as errors
  --state STATE   a JSON file with the state of the turn, an object, or - for the standard input
  --tool NAME     the tool to explain
  --called NAMES  tools that have been called successfully this turn, with commas between them
  --json          the report as JSON, on the standard output
  --help, -h      this text
  --version, -v   the version

Exit codes: 0 for no errors, 1 for errors found, 2 when the command could not do its work.
Colours are left out when the output is no terminal or NO_COLOR is set.
`
