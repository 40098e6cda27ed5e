import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { statisticsReport } from "./report.ts";
import { timestamp } from "../fields.ts";
import { uuid } from "../account/fields.ts";
import { route } from "../route.ts";
import { Statistics } from "./schemas.ts";
import { userId } from "../users/schemas.ts";

const query = z.object({
  from: timestamp.optional().openapi(
    says({
      en: "Rounded down to the hour or day (UTC). Default: 24 hours or 30 days before `to`",
      pt: "Arredondado para o começo da hora ou do dia (UTC). Padrão: 24 horas ou 30 dias antes de `to`",
    }),
  ),
  to: timestamp.optional().openapi(
    says({
      en: "Rounded up to the hour or day (UTC), at most 90 days after `from`. Default: now",
      pt: "Arredondado para o fim da hora ou do dia (UTC), no máximo 90 dias depois de `from`. Padrão: agora",
    }),
  ),
  interval: z
    .enum(["hour", "day"])
    .default("day")
    .openapi(says({ en: "Hours are kept for 31 days, days for 400", pt: "Horas ficam guardadas por 31 dias, dias por 400" })),
  user_id: userId.optional().openapi(says({ en: "Of one account alone", pt: "Só de uma conta" })),
  instance_id: uuid.optional().openapi(says({ en: "Of one instance alone", pt: "Só de uma instância" })),
});

export const adminStatisticsRoutes = [
  route({
    name: "getStatistics",
    effect: "read",
    method: "get",
    path: "/admin/statistics",
    scope: "admin",
    summary: { en: "The deployment's numbers", pt: "Os números da instalação" },
    description: {
      en: "Counts are exact. Instances report whole hours within ten minutes after their end: `complete_until` says up to when all have, and what is later may still grow. The running hour is asked of the instances, unless there are more than 100.",
      pt: "As contagens são exatas. As instâncias informam horas inteiras em até dez minutos depois do fim delas: `complete_until` diz até quando todas informaram, e o que vem depois ainda pode crescer. A hora em andamento é perguntada às instâncias, a não ser que haja mais de 100.",
    },
    example: { query: { interval: "day" } },
    query,
    run: (context, { query }) => statisticsReport(context, query),
    response: z.object({ data: Statistics }),
    render: (data) => ({ data }),
  }),
];
