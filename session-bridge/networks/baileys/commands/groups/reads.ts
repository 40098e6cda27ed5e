import { getBinaryNodeChild, getBinaryNodeChildren } from "baileys";
import { type GroupSnapshot, type JoinRequest, JoinRequest as JoinRequestSchema } from "@gateway/protocol/groups.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { groupSnapshot, recordGroup } from "../../memory/group-cache.ts";
import { lidMappingOf } from "../../addressing/lid-mapping.ts";
import type { SessionContext } from "../../session/session-context.ts";
import type { CommandHandlers } from "../command-handlers.ts";
import { ANY_GROUP, groupIn, queryGroups, tag } from "../../queries/network-query.ts";

export const groupReads: Pick<CommandHandlers<"groups">, "groups.refresh" | "groups.get" | "groups.requests"> = {
  "groups.refresh": async (ctx) => {
    const query = tag("participating", {}, [tag("participants"), tag("description")]);
    const reply = await queryGroups(ctx, ANY_GROUP, "get", query);
    const listed = getBinaryNodeChild(reply, "groups");
    // Fails if the response contains no list, because callers remove every group that is missing from the list.
    if (listed === undefined) return fail("network_error");
    const groups = getBinaryNodeChildren(listed, "group").map((node) => groupIn(tag("result", {}, [node])));
    for (const group of groups) recordGroup(ctx.session, group);
    return { ok: true, value: { group_ids: groups.map(({ id }) => id) } };
  },

  "groups.get": async (ctx, { group_id }) => {
    const group = groupIn(await queryGroups(ctx, group_id, "get", tag("query", { request: "interactive" })));
    recordGroup(ctx.session, group);
    return snapshotOf(ctx, group);
  },

  "groups.requests": async (ctx, { group_id }) => {
    const reply = await queryGroups(ctx, group_id, "get", tag("membership_approval_requests"));
    const listed = getBinaryNodeChildren(getBinaryNodeChild(reply, "membership_approval_requests"), "membership_approval_request");
    const lids = lidMappingOf(ctx.session);
    const requests = listed.flatMap(({ attrs }): JoinRequest[] => {
      const person = lids.person(attrs["jid"], attrs["phone_number"] ?? attrs["lid"]);
      return person === null ? [] : [{ person, method: methodOf(attrs["request_method"]), requested_at: unixMsOf(attrs["request_time"]) }];
    });
    return { ok: true, value: { requests } };
  },
};

export function snapshotOf(ctx: SessionContext, group: Parameters<typeof groupSnapshot>[0]): Outcome<GroupSnapshot> {
  const snapshot = groupSnapshot(group, lidMappingOf(ctx.session));
  return snapshot === null ? fail("network_error") : { ok: true, value: snapshot };
}

function methodOf(method = ""): JoinRequest["method"] {
  const known = JoinRequestSchema.shape.method.safeParse(method.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase());
  return known.success ? known.data : "unknown";
}

function unixMsOf(seconds: string | undefined): number | null {
  const at = Number(seconds ?? Number.NaN);
  return Number.isInteger(at) ? at * 1000 : null;
}
