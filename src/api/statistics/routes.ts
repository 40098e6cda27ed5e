// The deployment's numbers (docs/use/statistics.md, "What is counted").
import { z } from "@hono/zod-openapi";
import { statisticsReport } from "./report.ts";
import { timestamp } from "../fields.ts";
import { uuid } from "../account/fields.ts";
import { route } from "../route.ts";
import { Statistics } from "./schemas.ts";
import { userId } from "../users/schemas.ts";

const query = z.object({
  from: timestamp.optional().openapi({ description: "Rounded down to the hour or day (UTC). Default: 24 hours or 30 days before `to`" }),
  to: timestamp.optional().openapi({ description: "Rounded up to the hour or day (UTC), at most 90 days after `from`. Default: now" }),
  interval: z.enum(["hour", "day"]).default("day").openapi({ description: "Hours are kept for 31 days, days for 400" }),
  user_id: userId.optional().openapi({ description: "Of one account alone" }),
  instance_id: uuid.optional().openapi({ description: "Of one instance alone" }),
});

export const adminStatisticsRoutes = [
  route({
    name: "getStatistics",
    effect: "read",
    method: "get",
    path: "/admin/statistics",
    scope: "admin",
    summary: "The deployment's numbers",
    description:
      "Counts are exact. Instances report whole hours within ten minutes after their end: `complete_until` says up to when all have, and what is later may still grow. The running hour is asked of the instances, unless there are more than 100.",
    example: { query: { interval: "day" } },
    query,
    run: (context, { query }) => statisticsReport(context, query),
    response: z.object({ data: Statistics }),
    render: (data) => ({ data }),
  }),
];
