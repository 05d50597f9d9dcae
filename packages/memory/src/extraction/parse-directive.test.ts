import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { directiveKinds } from './directive.ts'
import { extractionLimits } from './faults.ts'
import { parseDirective } from './parse-directive.ts'

const line = (value: unknown) => JSON.stringify(value)

describe('a line of an extraction block', () => {
  it.each([
    {
      written: { kind: 'fact', content: ' Ana lives in Lyon. ', subject: 'Ana', importance: 0 },
      read: { kind: 'fact', content: 'Ana lives in Lyon.', subject: 'Ana', importance: 0 },
    },
    {
      written: { kind: 'preference', content: 'tea', label: 'drinks', importance: 10 },
      read: { kind: 'preference', content: 'tea', label: 'drinks', importance: 10 },
    },
    {
      written: { kind: 'entity', label: 'Ana', type: 'person', id: 'e1', content: null },
      read: { kind: 'entity', label: 'Ana', type: 'person', id: 'e1' },
    },
    {
      written: { kind: 'relation', from: 'Ana', relation: 'works_at', to: 'Acme' },
      read: { kind: 'relation', from: 'Ana', relation: 'works_at', to: 'Acme' },
    },
    {
      written: { kind: 'episode', content: 'Ana moved.', occurred_at: '2026-03-14T09:30:00+01:00' },
      read: { kind: 'episode', content: 'Ana moved.', occurredAt: Date.UTC(2026, 2, 14, 8, 30) },
    },
    {
      written: { kind: 'intention', content: 'Call.', due_at: '2026-03-20' },
      read: { kind: 'intention', content: 'Call.', dueAt: Date.UTC(2026, 2, 20) },
    },
    {
      written: { kind: 'intention', content: 'Call.', when: { path: 'a.b', op: 'exists' } },
      read: {
        kind: 'intention',
        content: 'Call.',
        duePredicate: [{ state: { path: 'a.b', op: 'exists' } }],
      },
    },
    {
      written: { kind: 'correction', replaces: 'Paris', content: 'Lyon' },
      read: { kind: 'correction', replaces: 'Paris', content: 'Lyon' },
    },
  ])('is read as the directive it states: $written', ({ written, read }) => {
    const parsed = parseDirective(line(written))
    expect(parsed).toEqual({ ok: true, directive: read })
    expect(parsed.ok && Object.isFrozen(parsed.directive)).toBe(true)
  })

  it.each([
    { text: '', fault: 'not-json' },
    { text: '- likes tea', fault: 'not-json' },
    { text: '{"kind":"fact","content":"a"},', fault: 'not-json' },
    { text: '[]', fault: 'not-an-object' },
    { text: 'null', fault: 'not-an-object' },
    { text: '"fact"', fault: 'not-an-object' },
    { text: '{}', fault: 'unknown-kind' },
    { text: '{"kind":"secret","content":"a"}', fault: 'unknown-kind' },
    { text: '{"kind":"constructor","content":"a"}', fault: 'unknown-kind' },
    { text: '{"kind":["fact"],"content":"a"}', fault: 'unknown-kind' },
    { text: '{"kind":"fact","content":"a","tenant":"b"}', fault: 'unknown-key' },
    { text: '{"kind":"fact","content":"a","__proto__":{"importance":9}}', fault: 'unknown-key' },
    { text: '{"kind":"fact","content":"a","occurredAt":"2026-01-01"}', fault: 'unknown-key' },
    { text: '{"kind":"relation","from":"a","to":"b"}', fault: 'missing-key' },
    { text: '{"kind":"fact"}', fault: 'missing-key' },
    { text: '{"kind":"fact","content":null}', fault: 'missing-key' },
    { text: '{"kind":"intention","content":"a"}', fault: 'missing-key' },
    { text: '{"kind":"fact","content":"  "}', fault: 'invalid-value' },
    { text: '{"kind":"fact","content":["a"]}', fault: 'invalid-value' },
    { text: '{"kind":"fact","content":"a\\u0000b"}', fault: 'invalid-value' },
    { text: '{"kind":"fact","content":"a\\ud800b"}', fault: 'invalid-value' },
    { text: '{"kind":"fact","content":"a","importance":11}', fault: 'invalid-value' },
    { text: '{"kind":"fact","content":"a","importance":"5"}', fault: 'invalid-value' },
    { text: '{"kind":"episode","content":"a","occurred_at":"yesterday"}', fault: 'invalid-value' },
    { text: '{"kind":"intention","content":"a","when":[]}', fault: 'invalid-value' },
    { text: '{"kind":"intention","content":"a","when":"tool"}', fault: 'invalid-value' },
    {
      text: '{"kind":"intention","content":"a","when":[{"path":"a","op":"regex","value":"."}]}',
      fault: 'invalid-value',
    },
    { text: line({ kind: 'fact', content: 'x'.repeat(2_001) }), fault: 'invalid-value' },
    { text: line({ kind: 'fact', content: 'a', label: 'x'.repeat(201) }), fault: 'invalid-value' },
    { text: `${'['.repeat(4_000)}${']'.repeat(4_000)}`, fault: 'not-an-object' },
    { text: line({ kind: 'fact', content: 'x'.repeat(9_000) }), fault: 'line-too-large' },
  ])('costs itself and says why: $fault', ({ text, fault }) => {
    expect(parseDirective(text)).toEqual({ ok: false, fault })
  })

  it('is read or counted, whatever a model writes, and never throws', () => {
    const value = fc.dictionary(
      fc.oneof(fc.constantFrom('content', 'label', 'due_at', 'when', '__proto__'), fc.string()),
      fc.jsonValue(),
    )
    const written = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(fc.constantFrom(...directiveKinds), value)
        .map(([kind, rest]) => line({ ...rest, kind })),
    )
    fc.assert(
      fc.property(written, (text) => {
        const parsed = parseDirective(text)
        expect(parsed.ok ? parsed.directive.kind : parsed.fault).toEqual(expect.any(String))
      }),
    )
  })

  it('keeps every text within its bounds', () => {
    expect(extractionLimits.contentChars).toBeLessThan(extractionLimits.lineChars)
  })
})
