// Who may call a row.
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { fail, type Outcome } from "../protocol/failures.ts";
import { accessTo } from "../services/connections/access.ts";
import type { User } from "../services/users/user-table.ts";
import { authenticate } from "./authenticate.ts";
import type { Access } from "./route.ts";
import type { ConnectionMember } from "./run-operation.ts";

/** The caller as the row's `run` takes it: nobody, a user, or a member of the connection in the path. */
export async function callerOf(c: AppContext, access: Access): Promise<Outcome<null | User | ConnectionMember>> {
  if (access === "public") return { ok: true, value: null };
  const person = await authenticate(c);
  if (!person.ok || access === "user") return person;
  if (access === "admin") return person.value.role === "admin" ? person : fail("forbidden");
  const member = await memberOf(c, person.value);
  if (!member.ok || access === "member") return member;
  return member.value.role === "owner" ? member : fail("forbidden");
}

/** Of the connection in the path; `instance_not_found` for everybody else, so that nobody learns that it is there. */
async function memberOf(c: AppContext, user: User): Promise<Outcome<ConnectionMember>> {
  const id = c.req.param("id") ?? "";
  const access = /^[1-9]\d{0,15}$/.test(id) ? await accessTo(c.env.DB, user.id, Number(id)) : null;
  if (access === null) return fail("instance_not_found");
  c.var.facts.connection = access.connection.uuid;
  return { ok: true, value: { ...access, user } };
}

/** Requires a signed-in user. */
export async function asUser(c: AppContext, act: (user: User) => Promise<Response>): Promise<Response> {
  const person = await authenticate(c);
  return person.ok ? act(person.value) : englishFailure(c, person.failure);
}
