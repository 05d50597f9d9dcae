import { readSafely } from './read-object.ts'
import type { Scrubber } from './scrub.ts'
import {
  type Change,
  lists,
  records,
  scrubEntry,
  scrubId,
  scrubName,
  texts,
} from './scrub-entry.ts'
import type { MemoryStore } from './store.ts'

/**
 * A store that keeps no secret, whoever writes: each entry goes through `scrubEntry` right before it is put,
 * so no way into memory can forget it. What is asked for by id or by name is asked for as it was kept, so an
 * id that looks like a secret still finds its entry, which is answered under the id it was kept by.
 *
 * @see MEM-21
 */
export function scrubStore(store: MemoryStore, scrubber: Scrubber): MemoryStore {
  const id = texts((value) => scrubId(value, scrubber))
  const name = texts((value) => scrubName(value, scrubber))
  const entry: Change = (value) => scrubEntry(value as never, scrubber)
  const origin = { turnId: id, sessionId: id, sourceTag: name, tool: name, author: name }

  const scrubWrite = kept(records({ put: lists(records({ entry })), remove: lists(id) }))
  const scrubIds = kept(lists(id))
  const scrubPlaces = kept(lists(records({ sessionId: id })))
  const scrubOptions = kept(
    records({ filter: records({ ...origin, label: name, kind: name, subject: name }) }),
  )
  const scrubSelector = kept(records({ ids: lists(id), subject: name, source: records(origin) }))

  return Object.freeze({
    get capabilities() {
      return store.capabilities
    },
    get jobs() {
      return store.jobs
    },
    write: (scope, write) => store.write(scope, scrubWrite(write)),
    get: (scope, ids) => store.get(scope, scrubIds(ids)),
    list: (scope, options) => store.list(scope, scrubOptions(options)),
    search: (scope, text, options) => store.search(scope, text, scrubOptions(options)),
    searchVector: (scope, embedding, options) =>
      store.searchVector(scope, embedding, scrubOptions(options)),
    neighbours: (scope, places, options) => store.neighbours(scope, scrubPlaces(places), options),
    linked: (scope, ids, options) => store.linked(scope, scrubIds(ids), options),
    touch: (scope, ids, options) => store.touch(scope, scrubIds(ids), options),
    remove: (scope, selector) => store.remove(scope, scrubSelector(selector)),
    describe: (scope) => store.describe(scope),
    export: (scope) => store.export(scope),
    close: () => store.close(),
  } satisfies MemoryStore)
}

/** A change that leaves the shape as it is. */
function kept(change: Change): <Value>(value: Value) => Value {
  return <Value>(value: Value) => readSafely('options', () => change(value) as Value)
}
