/** Printed by the worker's process once its port answers and D1 is migrated. */
export const WORKER_READY = "worker ready";
