import { type ErrorBody, Refused, refusedBy } from "./refused.ts";

/** The outcomes that `signIn` returns. It throws `Refused` for all others. */
export type SignInOutcome = "done" | "wrong" | "unverified";

export async function signIn(email: string, password: string): Promise<SignInOutcome> {
  const response = await post("/sign-in/email", { email, password, rememberMe: true });
  if (response.ok) return "done";
  // These codes come from the identity library. Limits and malformed fields are reported as in the other APIs.
  const code = response.body?.code;
  if (code === "INVALID_EMAIL_OR_PASSWORD" || code === "INVALID_EMAIL" || code === "INVALID_PASSWORD") return "wrong";
  if (code === "EMAIL_NOT_VERIFIED") return "unverified";
  throw response.refused;
}

/** Emails a link for choosing a password. The response is the same for known and unknown addresses. */
export async function signUp(email: string, name: string): Promise<void> {
  const response = await post("/sign-up/email", { email, name });
  if (!response.ok) throw response.refused;
}

export async function mailPasswordLink(email: string): Promise<void> {
  const response = await post("/request-password-reset", { email });
  if (!response.ok) throw response.refused;
}

/** Returns false if the current password is wrong. */
export async function changePassword(currentPassword: string, newPassword: string): Promise<boolean> {
  const response = await post("/change-password", { currentPassword, newPassword });
  if (response.ok) return true;
  if (response.body?.code === "INVALID_PASSWORD") return false;
  throw response.refused;
}

type Body = (ErrorBody & { code?: string }) | null;

async function post(path: string, fields: object): Promise<{ ok: boolean; body: Body; refused: Refused }> {
  let response: Response;
  try {
    response = await fetch(`/api/auth${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json", "Accept-Language": document.documentElement.lang },
      body: JSON.stringify(fields),
      credentials: "same-origin",
      cache: "no-store",
    });
  } catch {
    throw new Refused("offline", { status: 0 });
  }
  const body = (await response.json().catch(() => null)) as Body;
  return { ok: response.ok, body, refused: refusedBy(response, body) };
}
