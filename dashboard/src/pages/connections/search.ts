import type { InstanceStatus } from "@gateway/protocol/connection.ts";
import { reading } from "../../api/client.ts";
import { STATUSES } from "../../domain/connection-list.ts";

const PAGE_ROWS = 25;
const STRIP_HOURS = 24;

export type ListSearch = {
  q?: string | undefined;
  status?: InstanceStatus | undefined;
  of?: "owner" | "shared" | undefined;
  after?: string | undefined;
  new?: true | undefined;
};

export function listSearch(given: Record<string, unknown>): ListSearch {
  const { q, status, of, after } = given;
  const known = STATUSES.find((each) => each === status);
  return {
    ...(q === undefined || q === "" ? {} : { q: String(q as string | number).slice(0, 200) }),
    ...(known === undefined ? {} : { status: known }),
    ...(of === "owner" || of === "shared" ? { of } : {}),
    ...(/^\d{1,16}$/.test(String(after)) ? { after: String(after) } : {}),
    ...(given["new"] === undefined ? {} : { new: true }),
  };
}

export function listReading({ q, status, of, after }: ListSearch) {
  return reading("GET /connections", { limit: PAGE_ROWS, q, status, of, cursor: after, activity: STRIP_HOURS });
}

export function isFiltered({ q, status, of }: ListSearch): boolean {
  return q !== undefined || status !== undefined || of !== undefined;
}
