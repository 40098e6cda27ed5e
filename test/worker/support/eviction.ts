// Time as an object meets it: the platform evicts an idle one after ten seconds, so the next alarm mostly rings in a new instance.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";

const EVICTED_AFTER_MS = 10_000;
/** More alarms than this are a busy loop. */
const MAX_ALARMS = 2_000;

/** `kept`: something that is under way keeps the object in memory, such as a call or an attempt at a receiver. */
export type Memory = { kept?: boolean };

type Run = Memory & {
  /** Waits for what an alarm has started. */
  settle?: () => Promise<void>;
};

/** The object leaves memory as when it hibernates: its storage and its sockets stay. */
export async function evict(stub: DurableObjectStub): Promise<void> {
  // Only a running object can be evicted.
  await runInDurableObject(stub, () => undefined);
  await evictDurableObject(stub);
}

/** Rings the alarm now; false when none is set. Once the platform begins to ring an alarm it is no longer set: then its handler is awaited. */
export async function ringAlarm(stub: DurableObjectStub): Promise<boolean> {
  if (await runDurableObjectAlarm(stub)) return true;
  return await runInDurableObject(stub, async (object: DurableObject) => {
    const handler = vi.spyOn(object as Required<DurableObject>, "alarm");
    // A handler that has its turn coming runs within a few turns of the event loop.
    for (let turn = 0; turn < 10 && handler.mock.calls.length === 0; turn += 1) await scheduler.wait(5);
    const rung = handler.mock.calls.length > 0;
    handler.mockRestore();
    return rung;
  });
}

/** Moves the clock (fake dates) to each alarm of the object in turn, and in the end to `until` (Unix ms). Answers how many alarms rang. */
export async function runAlarmsUntil(stub: DurableObjectStub, until: number, { kept = false, settle }: Run = {}): Promise<number> {
  const sleepUntil = async (at: number) => {
    if (!kept && at - Date.now() > EVICTED_AFTER_MS) await evict(stub);
    vi.setSystemTime(Math.max(at, Date.now()));
  };
  for (let rung = 0; ; rung += 1) {
    const due = await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
    if (rung > MAX_ALARMS) throw new Error(`more than ${MAX_ALARMS} alarms until ${new Date(until).toISOString()}`);
    await sleepUntil(Math.min(due ?? until, until));
    if (due === null || due > until) return rung;
    await ringAlarm(stub);
    await settle?.();
  }
}
