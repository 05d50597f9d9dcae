// The conformance suite for memory stores, whatever the test runner.

export type { StoreBehaviour } from './testing/behaviour.ts'
export {
  checkBehaviour,
  type DescribeStoreOptions,
  describeMemoryStore,
  type StoreBehaviourName,
  type StoreSkip,
  storeBehaviours,
  type TestRunner,
} from './testing/describe-memory-store.ts'
