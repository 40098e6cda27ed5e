// Code that the administration's routes share: audited changes, and pages with cursors.
import * as z from "zod";
import { type CursorCodec, cursorCodec } from "@gateway/domain/cursor.ts";
import { invalidField } from "@gateway/domain/failures/field-problems.ts";
import type { Outcome } from "@gateway/protocol/failures.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import type { User } from "#root/src/services/users/user-table.ts";
import { type Administrator, type Audited, audited } from "../audit/page.ts";
import type { JsonRoute, Parsed } from "./contract/contract.ts";
import { action, type ParsedRequest, type Result } from "./route.ts";

/** The cursor of lists that are sorted by time of creation. */
export const byCreation = cursorCodec(z.object({ createdAt: z.number(), id: z.string() }));

type ChangeRoute = { [N in JsonRoute]: Parsed<N, "body"> extends { reason: string } ? N : never }[JsonRoute] & `${string} /admin/${string}`;

/** `act` is the action's name in the audit log, which is the same as on the Account API. */
export function adminChange<N extends ChangeRoute, T>(
  name: N,
  act: string,
  run: (by: Administrator, request: ParsedRequest<N>) => Promise<Outcome<Audited<T>>>,
  render: (value: T) => Result<N>,
  common: { created?: () => boolean } = {},
) {
  return action(
    name,
    "admin",
    async (c, user, request) => {
      const by = administratorOf(c, user);
      const { reason } = request.body as { reason: string };
      const entry = { keyId: null, action: act, target: Object.values(request.params).join("/"), reason };
      const outcome = await audited(by, entry, () => run(by, request));
      return outcome.ok ? { ok: true, value: render(outcome.value) } : outcome;
    },
    common,
  );
}

export const administratorOf = (c: AppContext, user: User): Administrator => ({ c, user, now: Date.now() });

export function one<T>(data: T): { data: T } {
  return { data };
}

export function placeOf<T>(cursors: CursorCodec<T>, cursor: string | undefined): Outcome<T | null> {
  if (cursor === undefined) return { ok: true, value: null };
  const place = cursors.read(cursor);
  return place === null ? invalidField("cursor", "not_a_cursor") : { ok: true, value: place };
}

export function cursorOf<T>(cursors: CursorCodec<T>, place: T | null): string | null {
  return place === null ? null : cursors.write(place);
}
