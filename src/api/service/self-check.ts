import { RELEASE } from "@gateway/domain/fleet/self-check.ts";
import { documented, says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { isoOfMs, isoOfMsOrNull } from "@gateway/domain/iso-times.ts";
import { selfCheck } from "#root/src/services/health/self-check.ts";
import { cronRuns } from "#root/src/services/watchdog/cron-runs.ts";
import { CRONS } from "#root/src/services/watchdog/watch.ts";
import { iso } from "../account/fields.ts";
import { route } from "../route.ts";

const check = z
  .object({
    name: z.string().openapi({ ...says({ en: "The part that was checked", pt: "A parte verificada" }), example: "migrations" }),
    ok: z.boolean().openapi(says({ en: "Whether it works", pt: "Se ela funciona" })),
    detail: z
      .string()
      .nullable()
      .openapi({
        ...says({ en: "The problem; null: none", pt: "O problema, em inglês; null: nenhum" }),
        example: "no bridge has connected",
      }),
  })
  .openapi("SelfCheck", says({ en: "The check of one part", pt: "A verificação de uma parte" }));

const cron = z
  .object({
    cron: z.string().openapi({ ...says({ en: "The schedule", pt: "O agendamento" }), example: "* * * * *" }),
    last_run_at: iso
      .nullable()
      .openapi(says({ en: "End of the last run; null: it never ran", pt: "Fim da última execução; null: nunca rodou" })),
    last_success_at: iso
      .nullable()
      .openapi(
        says({ en: "End of the last run in which every task succeeded", pt: "Fim da última execução em que todas as tarefas deram certo" }),
      ),
  })
  .openapi("CronRun", says({ en: "The runs of a scheduled job", pt: "As execuções de uma tarefa agendada" }));

export const selfCheckRoutes = [
  route({
    name: "getSelfCheck",
    effect: "read",
    method: "get",
    path: "/admin/self-check",
    scope: "admin",
    summary: documented({
      en: "Whether each part of this deployment works",
      pt: "Se cada parte desta instalação funciona",
    }),
    description: documented({
      en: "`npm run doctor` also checks the address from outside, and adds what to do about each problem. A new schedule takes up to 15 minutes to start on Cloudflare.",
      pt: "`npm run doctor` também verifica o endereço de fora e acrescenta o que fazer em cada problema. Um novo agendamento leva até 15 minutos para começar na Cloudflare.",
    }),
    noStore: true,
    run: async ({ c, now }) => {
      const [checks, runs] = await Promise.all([selfCheck(c.env, CRONS, now), cronRuns(c.env.DB).catch(() => [])]);
      return { ok: true, value: { checks, runs, now } };
    },
    response: z.object({
      data: z.object({
        version: z.string().openapi({ ...says({ en: "The release of the worker", pt: "A versão do worker" }), example: "0.1.0" }),
        time: iso.openapi(says({ en: "The clock of the worker", pt: "O horário do worker" })),
        checks: z.array(check),
        crons: z.array(cron).openapi(says({ en: "The scheduled jobs of this deployment", pt: "As tarefas agendadas desta instalação" })),
      }),
    }),
    render: ({ checks, runs, now }) => {
      const known = new Map(runs.map((run) => [run.cron, run]));
      const crons = CRONS.map((name) => {
        const run = known.get(name);
        return { cron: name, last_run_at: isoOfMsOrNull(run?.ranAt ?? null), last_success_at: isoOfMsOrNull(run?.succeededAt ?? null) };
      });
      return { data: { version: RELEASE, time: isoOfMs(now), checks, crons } };
    },
  }),
];
