import type { Alarm } from "./alarms.ts";
import { CRASH_LOOP } from "./crash-loop.ts";

export type FleetMail = { subject: string; text: string };

const MAX_NAMES = 50;

export function alarmMail(raised: readonly Alarm[], over: readonly Alarm[]): FleetMail {
  const subject = raised.length > 0 ? "Alarme da frota / Alarm of the fleet" : "Alarme encerrado / Alarm over";
  const list = (alarms: readonly Alarm[], title: string, numbers: string): string[] =>
    alarms.length === 0
      ? []
      : [[title, ...alarms.map(({ kind, code, sessions }) => `- ${kind} ${code}: ${sessions} ${numbers}`)].join("\n")];
  const text = [
    ...list(raised, "Muitos números têm o mesmo problema:", "números"),
    ...list(over, "Passou:", "números no pico"),
    'O que cada linha quer dizer e o que fazer: docs/operate/monitoring.md, "Fleet alarms". A situação agora: GET /api/admin/fleet.',
    "---",
    ...list(raised, "Many numbers have the same trouble:", "numbers"),
    ...list(over, "It is over:", "numbers at the peak"),
    'What each line means, and what to do: docs/operate/monitoring.md, "Fleet alarms". How it is now: GET /api/admin/fleet.',
  ];
  return { subject, text: text.join("\n\n") };
}

/** `reason`: the kind and code of the problem, or `CRASH_LOOP`. */
export function rejectedMail(build: string, reason: string): FleetMail {
  const [pt, en] =
    reason === CRASH_LOOP
      ? [
          `Os processos do build "${build}" terminam sozinhos, vez após vez, logo depois de começar.`,
          `The processes of the build "${build}" end by themselves, again and again, soon after their start.`,
        ]
      : [
          `As sessões do build "${build}" têm um problema que as outras não têm: ${reason}.`,
          `The sessions of the build "${build}" have a trouble that the others do not have: ${reason}.`,
        ];
  return {
    subject: "Build recusado / Build rejected",
    text: `${pt} Ele não recebe mais sessões, e as que tem voltam para os outros bridges.

---

${en} It is given no more sessions, and those that it has return to the other bridges.`,
  };
}

export function outageMail(names: readonly string[]): FleetMail {
  const shown = names.slice(0, MAX_NAMES).map((name) => `- ${name}`);
  const rest = names.length - shown.length;
  const list = [...shown, ...(rest > 0 ? [`+ ${rest}`] : [])].join("\n");
  return {
    subject: "Conexões sem rede / Connections without the network",
    text: `Muitos números estão sem rede ao mesmo tempo, entre eles estas suas conexões:

${list}

Elas continuam tentando sozinhas, a cada cinco minutos. O pareamento é mantido; o que chega nesse tempo espera na rede. Não é preciso fazer nada.

---

Many numbers are without the network at the same time, among them these connections of yours:

${list}

They go on trying by themselves, every five minutes. They stay paired; what is sent to them meanwhile waits in the network. There is nothing to do.`,
  };
}
