// Groups (catalogue A6, column "Session").
import { groupSnapshot, groupsOf } from "../group-cache.ts";
import { bookOf } from "../lids.ts";
import type { Runners } from "./runners.ts";

export const groupRunners: Runners<"groups"> = {
  "groups.get": async (ctx, { group_id }) => {
    const read = await groupsOf(ctx.link).reload(ctx, group_id);
    if (!read.ok) return read;
    const snapshot = groupSnapshot(read.value, bookOf(ctx.link));
    return snapshot === null ? { ok: false, failure: { code: "network_error" } } : { ok: true, value: snapshot };
  },
};
