// Rows that the hourly deletion of expired messages reads, which are billed.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { StorePurge } from "#root/durable-objects/connection/store/purge.ts";
import { StoredTimes } from "#root/durable-objects/shared/stored-times.ts";
import { gridOf } from "@gateway/domain/spread.ts";
import { DAY_MS, HOUR_MS } from "@gateway/protocol/units.ts";

const CHAT = "120363000000000001@g.us";
const MESSAGES = 24 * 60;
const RECEIPTS_EACH = 4;
const START = Date.UTC(2026, 0, 1);

it("the hourly purge scans for orphaned rows at most once a day, and finds expired messages through an index", async () => {
  await runInDurableObject(env.CONNECTION.getByName(crypto.randomUUID()), (_object, { storage: { sql } }) => {
    for (let n = 0; n < MESSAGES; n += 1) {
      const at = (START + n * HOUR_MS) / 1000;
      const insert = "INSERT INTO messages (message_id, chat_id, from_me, timestamp, type, announced) VALUES (?, ?, 1, ?, 'text', 1)";
      sql.exec(insert, `M${n}`, CHAT, at);
      for (let who = 0; who < RECEIPTS_EACH; who += 1)
        sql.exec("INSERT INTO receipts (chat_id, message_id, who, read_at) VALUES (?, ?, ?, ?)", CHAT, `M${n}`, String(who), at * 1000);
    }
    let read = 0;
    const counting = {
      exec: (query: string, ...bindings: SqlStorageValue[]) => {
        const cursor = sql.exec(query, ...bindings);
        const rows = cursor.toArray();
        read += cursor.rowsRead;
        return { toArray: () => rows };
      },
    } as unknown as SqlStorage;
    const purgeAt = (now: number): void => {
      // A new one each hour, because the object is evicted while it is idle.
      const searched = new StoredTimes(sql).of("orphans_searched");
      new StorePurge(
        counting,
        () => 30,
        () => undefined,
        gridOf("", HOUR_MS),
        searched,
      ).run(now);
    };
    const left = (table: string) => sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
    const first = START + 30 * DAY_MS;
    for (let hour = 0; hour < 24; hour += 1) purgeAt(first + hour * HOUR_MS);
    expect([left("messages"), left("receipts")]).toEqual([MESSAGES - 24, (MESSAGES - 24) * RECEIPTS_EACH]);
    expect(read).toBeLessThan(3 * MESSAGES * RECEIPTS_EACH);
  });
});
