import * as z from "zod";
import type { CommandInput } from "@gateway/protocol/commands.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { chatIdOf, type Person } from "@gateway/protocol/ids.ts";
import { GraphErrors, graphPerson, maybeText, Paging, readAll, someText } from "./responses.ts";
import { ask, type CloudContext, type GraphCommands, PRODUCT, refused, userOf } from "./asking.ts";
import { changeGroup, inGroup } from "./groups.ts";

const MAX_REMOVED = 8;
const MAX_REQUEST_PAGES = 100;
const NO_WORDS = { subcode: null, type: null, traceId: null };
const DONE_CODE = 200;
const NOT_FOUND_CODE = 404;

const JoinRequestsPage = z.looseObject({
  data: z.array(
    z.looseObject({
      join_request_id: someText,
      wa_id: maybeText,
      user_id: maybeText,
      creation_timestamp: z.coerce.number().int().nullish().catch(null),
    }),
  ),
  paging: Paging,
});
const DecideResponse = z.looseObject({
  approved_join_requests: z.array(someText).optional(),
  rejected_join_requests: z.array(someText).optional(),
  failed_join_requests: z.array(z.looseObject({ join_request_id: someText, errors: GraphErrors })).optional(),
});

type Results = Outcome<{ participants: { person: Person; code: number | null }[] }>;

export const groupPeopleCommands: GraphCommands<"groups.participants" | "groups.requests" | "groups.decide"> = {
  "groups.participants": (input, context) => inGroup(context, input.group_id, (groupId) => remove(context, groupId, input)),

  "groups.requests": ({ group_id }, context) =>
    inGroup(context, group_id, async (groupId) => {
      const listed = await joinRequests(context, "groups.requests", groupId);
      if (!listed.ok) return listed;
      const requests = listed.value.map(({ person, at }) => ({ person, method: "invite_link" as const, requested_at: at }));
      return succeed({ requests });
    }),

  "groups.decide": (input, context) => inGroup(context, input.group_id, (groupId) => decide(context, groupId, input)),
};

async function remove(context: CloudContext, groupId: string, input: CommandInput<"groups.participants">): Promise<Results> {
  const { action, participants } = input;
  // Only removals are supported, because people join by the group's link, and only the business administers the group.
  if (action !== "remove") return fail("not_supported", { details: { kind: "cloud_api", field: "action" } });
  if (participants.length > MAX_REMOVED)
    return fail("limit_of_kind", { details: { kind: "cloud_api", field: "participants", max: MAX_REMOVED } });
  const asked = participants.map((person) => ({ person, user: userOf(context, chatIdOf(person)) }));
  const users = asked.flatMap(({ user }) => (user === null ? [] : [{ user }]));
  const call = { method: "DELETE", path: `/${groupId}/participants`, json: { ...PRODUCT, participants: users } } as const;
  const removed = users.length === 0 ? succeed({ failed: [] }) : await changeGroup(context, "groups.participants", call);
  if (!removed.ok) return removed;
  const { failed } = removed.value;
  const [first] = failed;
  if (first !== undefined && first.code !== null && failed.length >= users.length) {
    return refused(context, { command: "groups.participants", of: "group" }, { ...NO_WORDS, code: first.code });
  }
  const codes = new Map(failed.map(({ input: name, code }) => [nameOf(name), code]));
  const codeOf = (user: string | null): number | null => {
    if (user === null) return NOT_FOUND_CODE;
    const code = codes.get(nameOf(user));
    return code === undefined ? DONE_CODE : code;
  };
  return succeed({ participants: asked.map(({ person, user }) => ({ person, code: codeOf(user) })) });
}

function nameOf(user: string): string {
  return user.replace(/^\+/, "");
}

async function decide(context: CloudContext, groupId: string, input: CommandInput<"groups.decide">): Promise<Results> {
  const listed = await joinRequests(context, "groups.decide", groupId);
  if (!listed.ok) return listed;
  const asked = input.participants.map((person) => {
    const { phone } = context.stores.lids.person(person);
    const spelled = phone === null ? null : nameOf(userOf(context, chatIdOf(person)) ?? phone);
    const request = listed.value.find(
      ({ person: one }) => (spelled !== null && one.phone === spelled) || (person.lid !== null && one.lid === person.lid),
    );
    return { person: request?.person ?? person, id: request?.id ?? null };
  });
  const ids = asked.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return fail("contact_not_found");
  const method = input.verdict === "approve" ? "POST" : "DELETE";
  const call = { method, path: `/${groupId}/join_requests`, json: { ...PRODUCT, join_requests: ids } } as const;
  const result = await ask(context, { command: "groups.decide", of: "group" }, call, DecideResponse);
  if (!result.ok) return result;
  const { approved_join_requests: approved, rejected_join_requests: rejected, failed_join_requests: failed } = result.value;
  const done = new Set(input.verdict === "approve" ? approved : rejected);
  const codes = new Map(failed?.map(({ join_request_id, errors }) => [join_request_id, errors[0]?.code ?? null]));
  const codeOf = (id: string | null) => (id === null ? NOT_FOUND_CODE : done.has(id) ? DONE_CODE : (codes.get(id) ?? null));
  return succeed({ participants: asked.map(({ person, id }) => ({ person, code: codeOf(id) })) });
}

type Asking = { id: string; person: Person; at: number | null };

async function joinRequests(
  context: CloudContext,
  command: "groups.requests" | "groups.decide",
  groupId: string,
): Promise<Outcome<Asking[]>> {
  const listed = await readAll(MAX_REQUEST_PAGES, async (query) => {
    const call = { method: "GET", path: `/${groupId}/join_requests`, query } as const;
    const page = await ask(context, { command, of: "group" }, call, JoinRequestsPage);
    return page.ok ? succeed({ items: page.value.data, paging: page.value.paging }) : page;
  });
  if (!listed.ok) return listed;
  const requests = listed.value.flatMap(({ join_request_id: id, creation_timestamp: at, ...who }): Asking[] => {
    const person = graphPerson(context.ids, who);
    return person === null ? [] : [{ id, person, at: at === null || at === undefined ? null : at * 1000 }];
  });
  return succeed(requests);
}
