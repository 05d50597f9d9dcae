// The public surface of @symfonic/memory/pg-boss: the jobs of a memory worked on by whichever process is free.

export {
  type MemoryJobs,
  type PgBossOptions,
  type PgBossQueue,
  type PgBossWorker,
  runOnPgBoss,
} from './pg-boss/run-on-pg-boss.ts'
