import { type Alarm, CONTAINER, guideOf } from "./alarms.ts";
import { CRASH_LOOP } from "./crash-loop.ts";

export type FleetMail = { subject: string; text: string };

const MAX_NAMES = 50;

export function alarmMail(raised: readonly Alarm[], over: readonly Alarm[]): FleetMail {
  const subject = raised.length > 0 ? "Alarme dos bridges / Fleet alarm" : "Alarme encerrado / Alarm over";
  const list = (alarms: readonly Alarm[], title: string, numbers: string): string[] =>
    alarms.length === 0
      ? []
      : [[title, ...alarms.map((alarm) => `- ${alarm.kind} ${alarm.code}: ${alarm.sessions} ${numbers} (${guideOf(alarm)})`)].join("\n")];
  const troubles = raised.filter(({ kind }) => kind !== CONTAINER);
  const containers = raised.filter(({ kind }) => kind === CONTAINER);
  const text = [
    ...list(troubles, "Muitos números têm o mesmo problema:", "números"),
    ...list(containers, "Estes contêineres foram reiniciados, porque o bridge deles não se conectava:", "sessões sem vaga"),
    ...list(over, "Problemas encerrados:", "números no pico"),
    "Cada linha diz onde ver o que fazer. A situação atual está na página Bridges e em GET /api/admin/fleet.",
    "---",
    ...list(troubles, "Many numbers have the same problem:", "numbers"),
    ...list(containers, "These containers were restarted, because their bridge did not connect:", "sessions without room"),
    ...list(over, "These problems are over:", "numbers at the peak"),
    "Each line says where to find what to do. The current state: the page Fleet, or GET /api/admin/fleet.",
  ];
  return { subject, text: text.join("\n\n") };
}

/** `reason` is the kind and code of the problem, or `CRASH_LOOP`. */
export function rejectedMail(build: string, reason: string): FleetMail {
  const [pt, en] =
    reason === CRASH_LOOP
      ? [
          `Os processos do build "${build}" se encerram sozinhos logo depois de iniciar.`,
          `The processes of the build "${build}" keep exiting soon after they start.`,
        ]
      : [
          `As sessões do build "${build}" têm um problema que as outras não têm: ${reason}.`,
          `The sessions of the build "${build}" have a problem that the others do not have: ${reason}.`,
        ];
  return {
    subject: "Build recusado / Build rejected",
    text: `${pt} Ele não recebe mais sessões, e as atuais voltam para os outros bridges.

---

${en} It gets no more sessions, and its current ones return to the other bridges.`,
  };
}

export function outageMail(names: readonly string[]): FleetMail {
  const shown = names.slice(0, MAX_NAMES).map((name) => `- ${name}`);
  const rest = names.length - shown.length;
  const list = [...shown, ...(rest > 0 ? [`+ ${rest}`] : [])].join("\n");
  return {
    subject: "Conexões fora do ar / Connections offline",
    text: `Muitos números estão desconectados ao mesmo tempo, inclusive os destas conexões suas:

${list}

Continuamos tentando reconectar a cada cinco minutos. Elas continuam pareadas, e o WhatsApp guarda as mensagens que chegarem. Você não precisa fazer nada.

---

Many numbers are offline at the same time, including these connections of yours:

${list}

We keep trying to reconnect every five minutes. They stay paired, and WhatsApp keeps incoming messages. You don't need to do anything.`,
  };
}
