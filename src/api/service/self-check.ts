import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isoOfMsOrNull } from "../../http/times.ts";
import { cronRuns } from "../../services/watchdog/cron-runs.ts";
import { CRONS } from "../../services/watchdog/watch.ts";
import { iso } from "../account/fields.ts";
import { route } from "../route.ts";

const cron = z
  .object({
    cron: z.string().openapi({ example: "* * * * *" }),
    last_run_at: iso
      .nullable()
      .openapi(says({ en: "End of the last run; null: it never ran", pt: "Fim da última execução; null: nunca rodou" })),
    last_success_at: iso
      .nullable()
      .openapi(
        says({ en: "End of the last run in which every task succeeded", pt: "Fim da última execução em que todas as tarefas deram certo" }),
      ),
  })
  .openapi("CronRun");

export const selfCheckRoutes = [
  route({
    name: "getSelfCheck",
    effect: "read",
    method: "get",
    path: "/admin/self-check",
    scope: "admin",
    summary: {
      en: "When the scheduled jobs of this deployment last ran",
      pt: "Quando as tarefas agendadas desta instalação rodaram pela última vez",
    },
    description: {
      en: "A new schedule takes up to 15 minutes to start on Cloudflare.",
      pt: "Um novo agendamento leva até 15 minutos para começar na Cloudflare.",
    },
    run: async ({ c }) => ({ ok: true, value: await cronRuns(c.env.DB) }),
    response: z.object({ data: z.object({ crons: z.array(cron) }) }),
    render: (runs) => {
      const known = new Map(runs.map((run) => [run.cron, run]));
      const crons = CRONS.map((name) => {
        const run = known.get(name);
        return { cron: name, last_run_at: isoOfMsOrNull(run?.ranAt ?? null), last_success_at: isoOfMsOrNull(run?.succeededAt ?? null) };
      });
      return { data: { crons } };
    },
  }),
];
