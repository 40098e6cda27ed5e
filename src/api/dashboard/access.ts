import type { AppContext } from "../../http/app-env.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { accessTo } from "../../services/connections/access.ts";
import { recordOpened } from "../../services/shares/shares.ts";
import type { User } from "../../services/users/user-table.ts";
import { authenticate } from "./authenticate.ts";
import type { Access } from "./route.ts";
import type { ConnectionMember } from "./call-as.ts";

/** `id`: the connection in the path. */
export async function callerOf(c: AppContext, access: Access, id: string): Promise<Outcome<null | User | ConnectionMember>> {
  if (access === "public") return { ok: true, value: null };
  const person = await authenticate(c);
  if (!person.ok || access === "user") return person;
  if (access === "admin") return person.value.role === "admin" ? person : fail("forbidden");
  const member = await memberOf(c, person.value, id);
  if (!member.ok || access === "member") return member;
  return member.value.role === "owner" ? member : fail("forbidden");
}

/** Strangers get `instance_not_found`, so that they do not learn that the connection exists. */
async function memberOf(c: AppContext, user: User, id: string): Promise<Outcome<ConnectionMember>> {
  const found = /^[1-9]\d{0,15}$/.test(id) ? await accessTo(c.env.DB, user.id, Number(id)) : null;
  if (found === null) return fail("instance_not_found");
  const { openedAt, ...access } = found;
  c.var.facts.connection = access.connection.uuid;
  if (access.role !== "owner" && openedAt === null) {
    c.executionCtx.waitUntil(recordOpened(c.env.DB, access.connection.id, user.id, Date.now()));
  }
  return { ok: true, value: { ...access, user } };
}
