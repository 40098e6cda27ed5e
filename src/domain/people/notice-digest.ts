export type DigestedNotice = { subject: string; text: string };

/** Up to this many notices are quoted in full. If there are more, they are only listed. */
const QUOTED = 3;
const LISTED = 50;

export function digestOf(notices: readonly DigestedNotice[], appUrl: string): DigestedNotice {
  const [first] = notices;
  if (first !== undefined && notices.length === 1) return first;
  const subject = `${notices.length} avisos sobre suas conexões / ${notices.length} notices about your connections`;
  if (notices.length <= QUOTED) return { subject, text: notices.map(quoted).join("\n\n==========\n\n") };
  const list = notices.slice(0, LISTED).map((notice) => `- ${notice.subject}`);
  const rest = notices.length - list.length;
  return {
    subject,
    text: [
      "Avisos desde o último e-mail / Notices since the last email:",
      [...list, ...(rest > 0 ? [`+ ${rest}`] : [])].join("\n"),
      `A visão geral de cada conexão mostra o motivo e o que fazer: ${appUrl}`,
      "---",
      `The overview of each connection says why, and what to do: ${appUrl}`,
    ].join("\n\n"),
  };
}

function quoted({ subject, text }: DigestedNotice): string {
  return `${subject}\n\n${text}`;
}
