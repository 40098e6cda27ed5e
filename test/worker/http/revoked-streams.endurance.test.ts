// Every revocation ends its streams within a second, and no others.
import { afterEach, expect, it } from "vitest";
import { LIMITS } from "@gateway/domain/limits.ts";
import { allEnded } from "../fakes/connection.ts";
import { keyOf } from "../support/accounts.ts";
import { allLeft, EventStream } from "../support/event-stream.ts";
import { gateway } from "../support/gateway.ts";
import { someone } from "../support/people.ts";
import { ALL_REVOCATIONS, describeRevocations, ended, pathOf, revocationWorld, share, stays } from "./revocations.ts";

const ask = gateway();

afterEach(async () => {
  await allLeft();
  await allEnded();
});

describeRevocations(ALL_REVOCATIONS);

it("a stream of the owner stays open, however many streams somebody else opens", async () => {
  const { owner, viewer, connection } = await revocationWorld();
  const path = `/api/dashboard/connections/${connection.record.id}/stream`;
  const watching = await EventStream.from(await ask(path, { headers: owner.headers }));
  const listening = await EventStream.from(await ask(pathOf(connection), { headers: owner.headers }));
  const guest = await someone();
  await share(owner.headers, connection, guest.user.email, "viewer");
  const first = await EventStream.from(await ask(path, { headers: viewer.headers }));
  for (let n = 0; n < 20; n += 1) await EventStream.from(await ask(path, { headers: viewer.headers }));
  const credentials: Record<string, string>[] = [viewer.headers, { "x-api-key": viewer.key.key }];
  while (credentials.length < LIMITS.accountKeys + 1) {
    credentials.push({ "x-api-key": (await keyOf({ user: viewer.user } as Parameters<typeof keyOf>[0])).key });
  }
  for (const headers of credentials) await EventStream.from(await ask(pathOf(connection), { headers }));
  const other = await EventStream.from(await ask(path, { headers: guest.headers }));
  await ended(first);
  expect(await Promise.all([watching, listening, other].map(stays))).toEqual([true, true, true]);
});
