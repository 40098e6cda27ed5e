import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { CLIENT_VERSION, VERSION_SOURCES } from "@gateway/protocol/bridge/client-version.ts";
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
        en: "All bridges announce this version and no other; null: each finds its own",
        pt: "Todos os bridges anunciam esta versão e nenhuma outra; null: cada um encontra a sua",
      }),
    ),
  max: clientVersion
    .nullable()
    .default(null)
    .openapi({
      ...says({ en: "Look-ups take no newer version; null: any", pt: "As consultas não aceitam versão mais nova; null: qualquer uma" }),
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
        ...says({ en: "Where it runs, as it says itself; null when it does not", pt: "Onde roda, segundo ele mesmo; null quando não diz" }),
        example: "eu-west",
      }),
    network: z.enum(["real", "local"]).openapi(says({ en: "`local`: the test network", pt: "`local`: a rede de teste" })),
    build: z
      .string()
      .nullable()
      .openapi({
        ...says({ en: "What it runs; null for one of an earlier release", pt: "O que ele roda; null para um de versão anterior" }),
        example: "2026-11-22.1",
      }),
    version: z
      .string()
      .nullable()
      .openapi({
        ...says({
          en: "Its version, and that of the library that speaks to the network",
          pt: "Sua versão, e a da biblioteca que fala com a rede",
        }),
        example: "0.1.0 (baileys 7.0.0-rc14)",
      }),
    sessions: count.openapi({ ...says({ en: "Sessions that it was given", pt: "Sessões que recebeu" }), example: 112 }),
    capacity: count.openapi({ ...says({ en: "Sessions that it takes at most", pt: "Máximo de sessões que recebe" }), example: 150 }),
    rss_mb: z.number().openapi({ ...says({ en: "Its memory, in MB", pt: "Sua memória, em MB" }), example: 612.4 }),
    cpu: z.number().openapi({
      ...says({ en: "Share of one core, over the last seconds", pt: "Fração de um núcleo, nos últimos segundos" }),
      example: 0.21,
    }),
    client_version: z
      .object({
        version: z.string().openapi({ example: "2.3000.1043857760" }),
        source: z.enum(VERSION_SOURCES).openapi(
          says({
            en: "`set` by an administrator or its own setting, of its `library`, or as `served` by the network's web client",
            pt: "Definida por um administrador ou pela configuração dele (`set`), da biblioteca dele (`library`), ou a que o cliente web da rede serve (`served`)",
          }),
        ),
      })
      .nullable()
      .openapi(
        says({
          en: "The client version that its sessions announce; null for one of an earlier release",
          pt: "A versão de cliente que as sessões dele anunciam; null num de versão anterior",
        }),
      ),
    served_version: z
      .string()
      .nullable()
      .openapi({
        ...says({
          en: "The newest version that it has looked up, also when it announces another one; null when there is none",
          pt: "A versão mais nova que ele consultou, também quando anuncia outra; null quando não há",
        }),
        example: "2.3000.1043857760",
      }),
    started_at: iso
      .nullable()
      .openapi(
        says({ en: "By its own clock; null for one of an earlier release", pt: "Pelo relógio dele; null para um de versão anterior" }),
      ),
    draining: z.boolean().openapi({
      ...says({ en: "It takes no sessions, and gives away those that it has", pt: "Não recebe sessões e entrega as que tem" }),
      example: false,
    }),
    connected: z.boolean().openapi({
      ...says({
        en: "False for the moments until it dials again, or counts as gone",
        pt: "False nos instantes até reconectar ou ser dado como encerrado",
      }),
      example: true,
    }),
    last_seen_at: iso,
  })
  .openapi("Bridge");

const kind = z.string().openapi({
  ...says({
    en: "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; of alarms also `away`",
    pt: "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; em alarmes também `away`",
  }),
  example: "close",
});
const code = z.string().openapi({
  ...says({
    en: "The network's code, or the word that tells troubles of one kind apart",
    pt: "O código da rede, ou a palavra que distingue problemas de um mesmo tipo",
  }),
  example: "405",
});

export const BuildShare = z.object({
  build: z
    .string()
    .min(1)
    .max(64)
    .openapi({ ...says({ en: "As the bridges say it", pt: "Como os bridges o dizem" }), example: "2026-11-22.1" }),
  percent: z
    .number()
    .min(0)
    .max(100)
    .openapi({ ...says({ en: "Of all sessions; 0 takes the build back", pt: "De todas as sessões; 0 recolhe o build" }), example: 1 }),
  instance_ids: z
    .array(z.uuid())
    .max(100)
    .openapi({
      ...says({
        en: "Instances that belong to the build whatever the share is",
        pt: "Instâncias que ficam com o build, qualquer que seja a parte",
      }),
      example: [],
    }),
});

export const Fleet = z
  .object({
    sessions: count.openapi({ ...says({ en: "Sessions that bridges were given", pt: "Sessões dadas a bridges" }), example: 1240 }),
    away: count.openapi({
      ...says({ en: "Linked sessions that have had no line for five minutes", pt: "Sessões pareadas sem linha há cinco minutos" }),
      example: 3,
    }),
    troubles: z
      .array(
        z.object({
          kind,
          code,
          total: count.openapi({
            ...says({ en: "Since the processes of today's bridges began", pt: "Desde que os processos dos bridges atuais começaram" }),
            example: 17,
          }),
          sessions: count.openapi({
            ...says({ en: "Sessions that had it in the last ten minutes", pt: "Sessões que o tiveram nos últimos dez minutos" }),
            example: 4,
          }),
        }),
      )
      .openapi(says({ en: "What went wrong on the network", pt: "O que deu errado na rede" })),
    alarms: z.array(
      z.object({
        kind,
        code,
        sessions: count.openapi({ ...says({ en: "The most at once", pt: "O máximo de uma vez" }), example: 48 }),
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
            en: "The trouble for which its share was taken back by itself",
            pt: "O problema pelo qual a parte foi recolhida sozinha",
          }),
          example: null,
        }),
    })
      .nullable()
      .openapi(
        says({ en: "The build that has a share of its own; null: none has", pt: "O build que tem uma parte própria; null: nenhum tem" }),
      ),
  })
  .openapi("Fleet");
