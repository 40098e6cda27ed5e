// `/set-password` is the target of an emailed link. Email scanners open every link, so only submitting the form changes anything.
import { Hono } from "hono";
import { detectFromHeader, detectFromQuery, type DetectorOptions } from "hono/language";
import { html } from "hono/html";
import { retryAfterOf } from "@gateway/domain/failures/responses.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { PASSWORD_PAGE } from "@gateway/domain/keys/password-link.ts";
import { settingsOf } from "#root/src/env.ts";
import type { AppContext, AppEnv } from "#root/src/http/app-env.ts";
import { IncomingBody } from "#root/src/http/body/incoming-body.ts";
import { readForm } from "#root/src/http/body/read.ts";
import { englishFailure } from "#root/src/http/english-failure.ts";
import { failureOfException } from "#root/src/services/exceptions.ts";
import { countRequest } from "#root/src/services/identity/address-guards.ts";
import { choosePassword, holderOfLink } from "#root/src/services/identity/password-links.ts";
import { openPasswordSession } from "#root/src/services/identity/sessions.ts";
import { errorFields, log } from "#root/src/log.ts";
import { name } from "./contract/common.ts";
import { clientAddress, passwordWasChosen } from "./auth-routes.ts";
import { type Content, plainPage } from "./plain-page.ts";

const BODY_BYTES = 16 * 1024;
const LENGTHS = { min: 10, max: 128 } as const;

const LANGUAGES: DetectorOptions = {
  supportedLanguages: ["en", "pt"],
  fallbackLanguage: "en",
  lookupQueryString: "lang",
  lookupCookie: "",
  lookupFromHeaderKey: "accept-language",
  lookupFromPathIndex: 0,
  order: ["querystring", "header"],
  caches: false,
  ignoreCase: true,
};

const TEXTS = {
  en: {
    code: "en",
    tag: "en",
    title: "Choose your password",
    confirm: "Confirm your email and choose your password",
    email: "Email",
    name: "Your name",
    password: "New password",
    hint: `${LENGTHS.min} to ${LENGTHS.max} characters.`,
    submit: "Set password",
    notYou: "If you didn't ask for this, close the page. Nothing has changed.",
    badPassword: `The password must have ${LENGTHS.min} to ${LENGTHS.max} characters.`,
    badName: "Enter your name, in up to 60 characters.",
    done: "Your password is set",
    doneText: "All earlier sessions were ended.",
    toStart: "Sign in to the dashboard",
    invalid: "This link is no longer valid",
    invalidText: "It was already used, or it has expired.",
    newLink: "Get a new link",
    signIn: "Sign in",
    tooMany: "Too many attempts",
    tooManyText: "Try again in a few minutes.",
    away: "The service is not available right now",
    awayText: "Try again in a moment.",
    again: "Try again",
    language: "English",
    other: "pt",
  },
  pt: {
    code: "pt",
    tag: "pt-BR",
    title: "Escolha sua senha",
    confirm: "Confirme seu e-mail e escolha sua senha",
    email: "E-mail",
    name: "Seu nome",
    password: "Nova senha",
    hint: `De ${LENGTHS.min} a ${LENGTHS.max} caracteres.`,
    submit: "Definir senha",
    notYou: "Se você não pediu isso, feche a página. Nada foi alterado.",
    badPassword: `A senha precisa ter de ${LENGTHS.min} a ${LENGTHS.max} caracteres.`,
    badName: "Digite seu nome, com até 60 caracteres.",
    done: "Senha definida",
    doneText: "Todas as sessões anteriores foram encerradas.",
    toStart: "Entrar no painel",
    invalid: "Este link não é mais válido",
    invalidText: "Ele já foi usado ou expirou.",
    newLink: "Receber um novo link",
    signIn: "Entrar",
    tooMany: "Tentativas demais",
    tooManyText: "Tente de novo em alguns minutos.",
    away: "Serviço indisponível no momento",
    awayText: "Tente de novo em instantes.",
    again: "Tentar de novo",
    language: "Português",
    other: "en",
  },
} as const;
type Texts = (typeof TEXTS)[keyof typeof TEXTS];

export function passwordPage(): Hono<AppEnv> {
  const page = new Hono<AppEnv>();
  page.get("/", (c) => withinLimits(c, ["requests"], (texts) => showForm(c, texts)));
  page.post("/", (c) => withinLimits(c, ["requests", "attempts"], (texts) => setPassword(c, texts)));
  page.all("*", (c) => englishFailure(c, "route_not_found"));
  return page;
}

async function withinLimits(
  c: AppContext,
  kinds: readonly ("requests" | "attempts")[],
  act: (texts: Texts) => Promise<Response>,
): Promise<Response> {
  c.get("facts").route = PASSWORD_PAGE;
  if (settingsOf(c.env).IDENTITY_ISSUER !== "") return englishFailure(c, "route_not_found");
  const texts = textsFor(c);
  const verdict = await countRequest(c.env, clientAddress(c), kinds);
  if (!verdict.blocked) return act(texts).catch((error: unknown) => away(c, texts, error));
  c.header("Retry-After", String(retryAfterSeconds(verdict.retryAfterMs)));
  return refusal(c, texts, 429, texts.tooMany, texts.tooManyText);
}

/** Returns a page instead of JSON, because people open this URL in a browser. */
function away(c: AppContext, texts: Texts, error: unknown): Promise<Response> {
  const code = failureOfException(error);
  if (code !== "unavailable") throw error;
  c.error = error as Error;
  c.get("facts").code = code;
  c.header("Retry-After", String(retryAfterOf({ code })));
  return refusal(c, texts, 503, texts.away, texts.awayText);
}

/** Links back to the form. The token comes from the query, because the body of a refused request is not read. */
function refusal(c: AppContext, texts: Texts, status: 429 | 503, title: string, text: string): Promise<Response> {
  const form = addressOf(c.req.query("token") ?? "", texts);
  const content = html`<p role="alert">${text}</p>
    <p><a class="button" href="${form}">${texts.again}</a></p>`;
  return respond(c, texts, status, title, content);
}

function addressOf(token: string, { code }: Pick<Texts, "code">): string {
  return `${PASSWORD_PAGE}?token=${encodeURIComponent(token)}&lang=${code}`;
}

async function showForm(c: AppContext, texts: Texts): Promise<Response> {
  const token = c.req.query("token") ?? "";
  const holder = token === "" ? null : await holderOfLink(c.env, token, Date.now());
  if (holder === null) return linkInvalid(c, texts);
  return form(c, texts, 200, { token, email: holder.email, name: holder.emailVerified ? null : holder.name, problem: null });
}

async function setPassword(c: AppContext, texts: Texts): Promise<Response> {
  const raw = await readForm(new IncomingBody(c.req.raw), BODY_BYTES);
  if (!raw.ok) return englishFailure(c, raw.failure);
  const { fields } = raw;
  const token = fields.get("token") ?? "";
  const now = Date.now();
  const holder = token === "" ? null : await holderOfLink(c.env, token, now);
  if (holder === null) return linkInvalid(c, texts);
  const given = holder.emailVerified ? null : (fields.get("name") ?? "");
  const again = { token, email: holder.email, name: given };
  const read = given === null || given === holder.name ? null : name.safeParse(given);
  if (read !== null && !read.success) return form(c, texts, 400, { ...again, problem: { field: "name", text: texts.badName } });
  const password = fields.get("password") ?? "";
  const chosen = await choosePassword(c.env, { token, password, name: read?.data ?? null }, now);
  if (chosen.ok) {
    await passwordWasChosen(c, holder, now);
    if (await signIn(c, { email: holder.email, password })) return c.redirect("/connections", 303);
    return respond(
      c,
      texts,
      200,
      texts.done,
      html`<p role="status">${texts.doneText}</p>
        <p><a class="button" href="/">${texts.toStart}</a></p>`,
    );
  }
  if (chosen.reason === "link_invalid") return linkInvalid(c, texts);
  return form(c, texts, 400, { ...again, problem: { field: "password", text: texts.badPassword } });
}

/** Signs in only if this page's form was submitted. Otherwise another site could sign its visitors in to the attacker's account. */
async function signIn(c: AppContext, credential: { email: string; password: string }): Promise<boolean> {
  if (c.req.header("sec-fetch-site") !== "same-origin") return false;
  try {
    const cookies = await openPasswordSession(c.env, credential, c.req.raw.headers);
    for (const cookie of cookies) c.header("Set-Cookie", cookie, { append: true });
    return cookies.length > 0;
  } catch (error) {
    log("identity.failed", { request: c.get("requestId"), ...errorFields(error) });
    return false;
  }
}

type Form = {
  token: string;
  email: string;
  name: string | null;
  problem: { field: "name" | "password"; text: string } | null;
};

function form(c: AppContext, texts: Texts, status: 200 | 400, { token, email, name, problem }: Form): Promise<Response> {
  const wrong = (field: string) =>
    problem?.field === field ? html` aria-invalid="true" aria-describedby="${field === "password" ? "problem hint" : "problem"}"` : html``;
  const other = TEXTS[texts.other];
  const alert = problem === null ? html`` : html`<p id="problem" role="alert">${problem.text}</p>`;
  const nameField =
    name === null
      ? html``
      : html`<label for="name">${texts.name}</label>
          <input id="name" name="name" value="${name}" autocomplete="name" maxlength="60" required ${wrong("name")} />`;
  return respond(
    c,
    texts,
    status,
    name === null ? texts.title : texts.confirm,
    html`${alert}
      <form method="post" action="${addressOf(token, texts)}">
        <input type="hidden" name="token" value="${token}" />
        <label for="email">${texts.email}</label>
        <input id="email" type="email" value="${email}" autocomplete="username" readonly />
        ${nameField}
        <label for="password">${texts.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          minlength="${LENGTHS.min}"
          maxlength="${LENGTHS.max}"
          required
          ${problem?.field === "password" ? wrong("password") : html`aria-describedby="hint"`}
        />
        <p id="hint">${texts.hint}</p>
        <button>${texts.submit}</button>
      </form>
      <p class="soft">${texts.notYou}</p>`,
    html`<a lang="${other.tag}" hreflang="${other.tag}" href="${addressOf(token, other)}">${other.language}</a>`,
  );
}

function linkInvalid(c: AppContext, texts: Texts): Promise<Response> {
  return respond(
    c,
    texts,
    400,
    texts.invalid,
    html`<p role="alert">${texts.invalidText}</p>
      <p><a class="button" href="/forgot">${texts.newLink}</a> <a href="/sign-in">${texts.signIn}</a></p>`,
  );
}

function respond(
  c: AppContext,
  texts: Texts,
  status: 200 | 400 | 429 | 503,
  title: string,
  content: Content,
  other?: Content,
): Promise<Response> {
  return plainPage(c, { tag: texts.tag, status, title, content, ...(other && { other }) });
}

function textsFor(c: AppContext): Texts {
  return (detectFromQuery(c, LANGUAGES) ?? detectFromHeader(c, LANGUAGES)) === "pt" ? TEXTS.pt : TEXTS.en;
}
