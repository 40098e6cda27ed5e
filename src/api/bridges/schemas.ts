import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { CLIENT_VERSION, VERSION_SOURCES } from "@gateway/protocol/bridge-socket.ts";
import { iso } from "../account/fields.ts";

export const bridgeId = z.string().min(1).max(64).openapi({ example: "eu-1" });

const count = z.number().int();

const clientVersion = z.string().regex(CLIENT_VERSION, "must be like 2.3000.1043857760").openapi({ example: "2.3000.1043857760" });

export const clientVersionFields = {
  version: clientVersion
    .nullable()
    .default(null)
    .openapi(
      says({
        en: "All bridges announce exactly this version; null: each finds its own",
        pt: "Todos os bridges informam exatamente esta versão; null: cada um usa a que encontrar",
      }),
    ),
  max: clientVersion
    .nullable()
    .default(null)
    .openapi({
      ...says({
        en: "The newest version that lookups accept; null: any",
        pt: "A versão mais recente aceita nas consultas; null: qualquer uma",
      }),
      example: null,
    }),
};

export const ClientVersion = z.object(clientVersionFields).openapi("ClientVersion");

export const Bridge = z
  .object({
    id: bridgeId,
    region: z
      .string()
      .nullable()
      .openapi({
        ...says({
          en: "Its location, as it reports it; null if it does not",
          pt: "Onde o bridge roda, segundo ele mesmo; null se ele não informa",
        }),
        example: "eu-west",
      }),
    network: z.enum(["real", "local"]).openapi(says({ en: "`local`: the test network", pt: "`local`: a rede de testes" })),
    build: z
      .string()
      .nullable()
      .openapi({
        ...says({ en: "The build it runs; null if it does not report one", pt: "O build que ele roda; null se não informa" }),
        example: "2026-11-22.1",
      }),
    version: z
      .string()
      .nullable()
      .openapi({
        ...says({
          en: "Its own version, and the version of its WhatsApp library",
          pt: "A versão dele e a da biblioteca do WhatsApp",
        }),
        example: "0.1.0 (baileys 7.0.0-rc14)",
      }),
    sessions: count.openapi({ ...says({ en: "Sessions assigned to it", pt: "Sessões atribuídas a ele" }), example: 112 }),
    capacity: count.openapi({ ...says({ en: "Maximum number of sessions", pt: "Máximo de sessões" }), example: 150 }),
    rss_mb: z.number().openapi({ ...says({ en: "Its memory, in MB", pt: "A memória usada, em MB" }), example: 612.4 }),
    cpu: z.number().openapi({
      ...says({ en: "Share of one core, in the last seconds", pt: "Fração de um núcleo, nos últimos segundos" }),
      example: 0.21,
    }),
    client_version: z
      .object({
        version: z.string().openapi({ example: "2.3000.1043857760" }),
        source: z.enum(VERSION_SOURCES).openapi(
          says({
            en: "`set` by an administrator or its own settings, from its `library`, or `served` by WhatsApp's web client",
            pt: "Definida por um administrador ou pela configuração dele (`set`), da biblioteca (`library`), ou informada pelo WhatsApp Web (`served`)",
          }),
        ),
      })
      .nullable()
      .openapi(
        says({
          en: "The client version that its sessions announce; null until its first report",
          pt: "A versão de cliente que as sessões dele informam; null até o primeiro relato",
        }),
      ),
    served_version: z
      .string()
      .nullable()
      .openapi({
        ...says({
          en: "The newest version it has found, even if it announces another one; null without one",
          pt: "A versão mais recente que ele encontrou, mesmo que informe outra; null se não há",
        }),
        example: "2.3000.1043857760",
      }),
    started_at: iso
      .nullable()
      .openapi(says({ en: "By its own clock; null if it does not report it", pt: "Pelo relógio dele; null se não informa" })),
    draining: z.boolean().openapi({
      ...says({ en: "It rejects new sessions and gives up its own", pt: "Não aceita sessões e transfere as que tem" }),
      example: false,
    }),
    connected: z.boolean().openapi({
      ...says({
        en: "False for a moment, until it reconnects or is considered gone",
        pt: "False por instantes, até o bridge se reconectar ou ser dado como perdido",
      }),
      example: true,
    }),
    container: z.boolean().openapi({
      ...says({
        en: "It runs in a container that the gateway starts, and can be restarted there",
        pt: "Roda em um contêiner que o gateway inicia, e pode ser reiniciado ali",
      }),
      example: true,
    }),
    last_seen_at: iso,
  })
  .openapi("Bridge");

const kind = z.string().openapi({
  ...says({
    en: "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; for alarms also `away` and `container`",
    pt: "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; em alarmes também `away` e `container`",
  }),
  example: "close",
});
const code = z.string().openapi({
  ...says({
    en: "WhatsApp's code, or the word that distinguishes problems of one kind",
    pt: "O código do WhatsApp, ou a palavra que distingue problemas de um mesmo tipo",
  }),
  example: "405",
});

export const BuildShare = z.object({
  build: z
    .string()
    .min(1)
    .max(64)
    .openapi({ ...says({ en: "As the bridges report it", pt: "O nome que os bridges informam" }), example: "2026-11-22.1" }),
  percent: z
    .number()
    .min(0)
    .max(100)
    .openapi({
      ...says({ en: "Share of all sessions; 0 withdraws the build", pt: "Parcela de todas as sessões; 0 retira o build" }),
      example: 1,
    }),
  instance_ids: z
    .array(z.uuid())
    .max(100)
    .openapi({
      ...says({
        en: "Instances that always use this build",
        pt: "Instâncias que sempre usam este build",
      }),
      example: [],
    }),
});

export const Fleet = z
  .object({
    sessions: count.openapi({ ...says({ en: "Sessions assigned to bridges", pt: "Sessões atribuídas a bridges" }), example: 1240 }),
    away: count.openapi({
      ...says({
        en: "Linked sessions that have been offline for five minutes",
        pt: "Sessões pareadas que estão sem conexão há cinco minutos",
      }),
      example: 3,
    }),
    troubles: z
      .array(
        z.object({
          kind,
          code,
          total: count.openapi({
            ...says({ en: "Since the current bridge processes started", pt: "Desde que os processos dos bridges atuais começaram" }),
            example: 17,
          }),
          sessions: count.openapi({
            ...says({ en: "Sessions that had it in the last ten minutes", pt: "Sessões com o problema nos últimos dez minutos" }),
            example: 4,
          }),
          routine: z.boolean().openapi({
            ...says({
              en: "Whether it also happens in healthy fleets, so that it raises no alarm",
              pt: "Se também acontece quando tudo está bem, sem alarme",
            }),
            example: false,
          }),
        }),
      )
      .openapi(says({ en: "Problems with WhatsApp", pt: "Problemas com o WhatsApp" })),
    alarms: z.array(
      z.object({
        kind,
        code,
        sessions: count.openapi({ ...says({ en: "The highest number at one time", pt: "O maior número ao mesmo tempo" }), example: 48 }),
        raised_at: iso,
      }),
    ),
    rollout: BuildShare.extend({
      changed_at: iso,
      rejected_for: z
        .string()
        .nullable()
        .openapi({
          ...says({
            en: "The problem for which the gateway withdrew it",
            pt: "O problema que fez o gateway retirar o build",
          }),
          example: null,
        }),
    })
      .nullable()
      .openapi(says({ en: "The build with its own share; null: none", pt: "O build que tem uma parcela própria; null: nenhum" })),
  })
  .openapi("Fleet");
