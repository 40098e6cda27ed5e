/** The control API's response when a phone cannot do something. That is an expected outcome, not an error. */
export type Refusal = {
  ok: false;
  status: 400 | 403 | 404 | 409 | 410 | 413 | 422 | 500 | 504;
  code: string;
  message: string;
};

export type Outcome<T> = { ok: true; value: T } | Refusal;

export function done<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refused(status: Refusal["status"], code: string, message: string): Refusal {
  return { ok: false, status, code, message };
}
