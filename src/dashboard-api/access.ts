// Access checks of the routes below `/connections/{id}`.
import type { AppContext } from "../http/app-env.ts";
import { englishFailure } from "../http/english-failure.ts";
import { accessTo } from "../services/connections/access.ts";
import type { User } from "../services/users/user-table.ts";
import type { ConnectionMember } from "./run-operation.ts";
import { authenticate } from "./authenticate.ts";

/** Requires a signed-in user. */
export function asUser(c: AppContext, act: (user: User) => Promise<Response>): Promise<Response> {
  return authenticate(c).then((person) => (person.ok ? act(person.value) : englishFailure(c, person.failure)));
}

/** Requires access to the connection in the path; 404 without. */
export function asMember(c: AppContext, act: (member: ConnectionMember) => Promise<Response>): Promise<Response> {
  return asUser(c, async (user) => {
    const id = c.req.param("id") ?? "";
    const access = /^[1-9]\d{0,15}$/.test(id) ? await accessTo(c.env.DB, user.id, Number(id)) : null;
    if (access === null) return englishFailure(c, "instance_not_found");
    c.var.facts.connection = access.connection.uuid;
    return act({ ...access, user });
  });
}

/** Requires the connection's owner; 403 for users it is shared with. */
export function asOwner(c: AppContext, act: (member: ConnectionMember) => Promise<Response>): Promise<Response> {
  return asMember(c, (member) => (member.role === "owner" ? act(member) : Promise.resolve(englishFailure(c, "forbidden"))));
}
