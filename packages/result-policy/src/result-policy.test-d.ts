// A policy reads the messages its transcript reads, and no others.

import { compactToolResults } from './ai-sdk/compact-tool-results.ts'
import { aiSdkTranscript } from './ai-sdk.ts'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { plainTranscript } from './plain-transcript.ts'
import { createResultPolicy } from './result-policy.ts'

const ledger = createInMemoryLedger()
const place = { scopeKey: 'a', thread: 't' }
const plain = createResultPolicy({}, { transcript: plainTranscript, ledger })
const sdk = createResultPolicy({}, { transcript: aiSdkTranscript, ledger })

void plain.forConversation(place).apply([{ role: 'user', content: 'hi' }])
// @ts-expect-error a message has a role
void plain.forConversation(place).apply([{ content: 'hi' }])
// @ts-expect-error a conversation has a scope key and a thread
plain.forConversation({ thread: 't' })
// @ts-expect-error there is no policy without a ledger
createResultPolicy({}, { transcript: plainTranscript })
// @ts-expect-error a setting that does not exist
createResultPolicy({ minLength: 1 }, { transcript: plainTranscript, ledger })

compactToolResults(sdk, place)
// @ts-expect-error an AI SDK app needs a policy that reads its messages
compactToolResults(plain, place)
