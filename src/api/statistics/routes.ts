import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { statisticsReport, Statistics } from "./report.ts";
import { timestamp } from "../fields.ts";
import { uuid } from "../account/fields.ts";
import { route } from "../route.ts";
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
  user_id: userId.optional().openapi(says({ en: "Only one account", pt: "Só uma conta" })),
  instance_id: uuid.optional().openapi(says({ en: "Only one instance", pt: "Só uma instância" })),
});

export const adminStatisticsRoutes = [
  route({
    name: "getStatistics",
    effect: "read",
    method: "get",
    path: "/admin/statistics",
    scope: "admin",
    summary: documented({ en: "The deployment's statistics", pt: "As estatísticas da instalação" }),
    description: documented({
      en: "Counts are exact. Instances report an hour within ten minutes of its end. `complete_until` is the end of the last hour that all have reported; later figures may still grow. For the current hour, the call asks the instances directly, if there are at most 100.",
      pt: "As contagens são exatas. As instâncias informam uma hora em até dez minutos depois do fim dela. `complete_until` é o fim da última hora que todas informaram; os números depois dela ainda podem crescer. Para a hora atual, a chamada consulta as instâncias diretamente, se houver no máximo 100.",
    }),
    example: { query: { interval: "day" } },
    query,
    run: (context, { query }) => statisticsReport(context, query),
    response: z.object({ data: Statistics }),
    render: (data) => ({ data }),
  }),
];
