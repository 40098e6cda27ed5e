// Simulates time for objects. The platform evicts an object after ten idle seconds, so the next alarm usually fires in a new instance.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";

const EVICTED_AFTER_MS = 10_000;
/** More alarms than this indicate a busy loop. */
const MAX_ALARMS = 2_000;

/** `kept`: running work, such as a call or a delivery attempt, keeps the object in memory. */
export type Memory = { kept?: boolean };

type Run = Memory & {
  /** Waits for work started by an alarm. */
  settle?: () => Promise<void>;
};

/** Evicts the object from memory as in hibernation: its storage and sockets stay. */
export async function evict(stub: DurableObjectStub): Promise<void> {
  // Only a running object can be evicted.
  await runInDurableObject(stub, () => undefined);
  await evictDurableObject(stub);
}

/** Fires the alarm now; false if none is set. If the platform has already started it, it is no longer set, and its handler is awaited. */
export async function ringAlarm(stub: DurableObjectStub): Promise<boolean> {
  if (await runDurableObjectAlarm(stub)) return true;
  return await runInDurableObject(stub, async (object: DurableObject) => {
    const handler = vi.spyOn(object as Required<DurableObject>, "alarm");
    // A scheduled handler runs within a few turns of the event loop.
    for (let turn = 0; turn < 10 && handler.mock.calls.length === 0; turn += 1) await scheduler.wait(5);
    const rung = handler.mock.calls.length > 0;
    handler.mockRestore();
    return rung;
  });
}

/** Advances the clock (fake dates) to each of the object's alarms, and finally to `until` (Unix ms). Returns the number of alarms fired. */
export async function runAlarmsUntil(stub: DurableObjectStub, until: number, { kept = false, settle }: Run = {}): Promise<number> {
  const sleepUntil = async (at: number) => {
    if (!kept && at - Date.now() > EVICTED_AFTER_MS) await evict(stub);
    vi.setSystemTime(Math.max(at, Date.now()));
  };
  for (let rung = 0; ; rung += 1) {
    const due = await alarmOf(stub);
    if (rung > MAX_ALARMS) throw new Error(`more than ${MAX_ALARMS} alarms until ${new Date(until).toISOString()}`);
    await sleepUntil(Math.min(due ?? until, until));
    if (due === null || due > until) return rung;
    await ringAlarm(stub);
    await settle?.();
  }
}

/** The next alarm (Unix ms). None is set while the platform runs a handler of its own accord, which sets the next one at its end. */
function alarmOf(stub: DurableObjectStub): Promise<number | null> {
  return runInDurableObject(stub, async (_object, { storage }) => {
    for (let turn = 0; turn < 20; turn += 1) {
      const at = await storage.getAlarm();
      if (at !== null) return at;
      await scheduler.wait(5);
    }
    return null;
  });
}
