// Commands for blocking people and for calls.
import * as z from "zod";
import { fail, succeed } from "@gateway/protocol/failures.ts";
import { personOf } from "@gateway/protocol/ids.ts";
import type { GraphError } from "../graph.ts";
import { GraphErrors, graphPerson, Listed, Paging, readAll } from "./answers.ts";
import { askNumber, DONE, type GraphCommands, PRODUCT, refused, report, Success, unanswered, userOf } from "./asking.ts";

const BLOCKED_PAGE_SIZE = 1_000;
const MAX_BLOCKED_PAGES = 65;

const BlockedPage = z.looseObject({ data: z.array(Listed), paging: Paging });
const BlockAnswer = z.looseObject({
  block_users: z.looseObject({
    added_users: z.array(Listed).optional(),
    removed_users: z.array(Listed).optional(),
    failed_users: z.array(z.looseObject({ errors: GraphErrors })).optional(),
  }),
});

const USE_OF_BLOCK = { command: "contacts.block", errorIn: failedUser } as const;

export const peopleCommands: GraphCommands<"contacts.blocked" | "contacts.block" | "calls.reject"> = {
  "contacts.blocked": async (_, context) => {
    const blocked = await readAll(
      MAX_BLOCKED_PAGES,
      async (query) => {
        const call = { method: "GET", path: "/block_users", query } as const;
        const page = await askNumber(context, { command: "contacts.blocked" }, call, BlockedPage);
        return page.ok ? succeed({ items: page.value.data, paging: page.value.paging }) : page;
      },
      BLOCKED_PAGE_SIZE,
    );
    if (!blocked.ok) return blocked;
    return succeed({ persons: blocked.value.flatMap((who) => graphPerson(context.ids, who) ?? []) });
  },

  "contacts.block": async ({ contact_id, blocked }, context) => {
    const user = userOf(context, contact_id);
    if (user === null) return fail("number_not_on_network");
    const call = { method: blocked ? "POST" : "DELETE", path: "/block_users", json: { ...PRODUCT, block_users: [{ user }] } } as const;
    const answer = await askNumber(context, USE_OF_BLOCK, call, BlockAnswer);
    if (!answer.ok) return answer;
    const error = failedUser(answer.value);
    if (error !== undefined) return refused(context, USE_OF_BLOCK, error);
    const { added_users: added, removed_users: removed } = answer.value.block_users;
    const who = (blocked ? added : removed)?.[0];
    if (who === undefined) return unanswered("contacts.block");
    const person = graphPerson(context.ids, who) ?? personOf(contact_id);
    if (person !== null) report(context, { type: "contact.updated", person, is_blocked: blocked });
    return DONE;
  },

  "calls.reject": async ({ call_id }, context) => {
    const json = { ...PRODUCT, call_id, action: "reject" };
    const use = { command: "calls.reject", of: "call" } as const;
    const rejected = await askNumber(context, use, { method: "POST", path: "/calls", json }, Success);
    return rejected.ok ? DONE : rejected;
  },
};

/** Why a person could not be blocked; the top-level error of the response is generic. */
function failedUser(json: unknown): GraphError | undefined {
  const read = BlockAnswer.safeParse(json);
  return read.success ? read.data.block_users.failed_users?.[0]?.errors[0] : undefined;
}
