// The MAIL binding on a single machine. The worker sends to a service, which passes each email to the host.
import { Response, type Request } from "miniflare";
import * as z from "zod";

const Mail = z.object({
  from: z.string(),
  to: z.union([z.string(), z.array(z.string())]).transform((to) => (Array.isArray(to) ? to.join(", ") : to)),
  subject: z.string(),
  text: z.string().default(""),
  html: z.string().optional(),
});
export type Mail = z.output<typeof Mail>;

/** Throws if the server refuses the email. Otherwise returns the email's id. */
export type Deliver = (mail: Mail) => Promise<string>;

/** The code is part of the message, because the caller receives only an error's message. */
export const MAIL_SCRIPT = `import { WorkerEntrypoint } from "cloudflare:workers";
export default class extends WorkerEntrypoint {
  async send({ from, to, subject, text, html }) {
    const response = await this.env.HOST.fetch("http://host/", { method: "POST", body: JSON.stringify({ from, to, subject, text, html }) });
    const answer = await response.json();
    if (answer.problem !== undefined) throw new Error(answer.problem);
    return answer;
  }
}`;

export function answerMail(deliver: Deliver): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return Response.json({ messageId: await deliver(Mail.parse(await request.json())) });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return Response.json({ problem: code === undefined || message.includes(code) ? message : `${code}, ${message}` });
    }
  };
}
