// What the address of the list holds.
import type { InstanceStatus } from "../../../../src/protocol/connection.ts";
import { STATUSES } from "../../domain/connection-list.ts";

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

export function isFiltered({ q, status, of }: ListSearch): boolean {
  return q !== undefined || status !== undefined || of !== undefined;
}
