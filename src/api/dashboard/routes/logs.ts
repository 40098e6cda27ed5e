import { isoOfMs } from "@gateway/domain/iso-times.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { operation } from "../route.ts";

export const logRoutes = [
  operation("GET /connections/{id}/activity", {
    operation: "instance.activity",
    input: ({ query }) => ({ hours: query.hours }),
    render: ({ hours }) => ({ data: hours.map(({ at, ...hour }) => ({ at: isoOfMs(at), ...hour })) }),
  }),
  operation("GET /connections/{id}/logs", {
    operation: "requests.list",
    input: ({ query: { status, code, route, key, limit, cursor } }) => ({
      status: status === undefined ? null : spanOf(status),
      code: code ?? null,
      route: route ?? null,
      caller: key ?? null,
      limit,
      before: cursor === undefined ? null : Number(cursor),
    }),
    render: ({ items, more }) => ({
      data: items.map(({ place: _place, ...request }) => renderRequest(request)),
      next_cursor: more ? String(items.at(-1)?.place ?? 0) : null,
    }),
  }),
  operation("GET /connections/{id}/logs/summary", {
    operation: "requests.summary",
    input: () => ({}),
    render: ({ refusals, ...summary }) => ({
      data: { ...summary, refusals: refusals.map(({ last_at, ...group }) => ({ ...group, last_at: isoOfMs(last_at) })) },
    }),
  }),
  operation("GET /connections/{id}/logs/{request_id}", {
    operation: "requests.get",
    input: ({ params }) => ({ id: params.request_id }),
    render: (request) => ({ data: renderRequest(request) }),
  }),
];

function spanOf(status: string): { from: number; to: number } {
  return { from: Number(status.replace("xx", "00")), to: Number(status.replace("xx", "99")) };
}

function renderRequest({ at, ...request }: OperationOutput<"requests.get">) {
  return { ...request, at: isoOfMs(at) };
}
