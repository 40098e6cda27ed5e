// Words of signing in and up, and of a forgotten password.
import type pt from "./sign-in.pt.ts";
import type { Words } from "../words.ts";

const en: Words<typeof pt> = {
  signIn: "Sign in",
  signInTo: "Sign in to the dashboard",
  email: "E-mail",
  password: "Password",
  wrong: "E-mail and password do not match.",
  wrongHelp: "Forgot the password, or not confirmed your e-mail yet? Get a link.",
  unverified: "This e-mail has not been confirmed yet.",
  resend: "Send the e-mail again",
  forgotLink: "Forgot the password",
  signUpLink: "Create an account",
  haveAccount: "Have an account?",
  noAccount: "No account yet?",
  withIssuer: (name) => `Sign in with ${name}`,
  issuerText: "This service uses your organisation's identity provider.",
  issuerFailed: "The identity provider could not sign you in.",
  signedOut: "You have signed out.",
  signUp: "Create an account",
  name: "Your name",
  signUpText: "We send a link to confirm the e-mail and choose the password.",
  forgot: "Forgot the password",
  forgotText: "We send a link to choose a new password.",
  send: "Send the link",
  sent: "Check your e-mail",
  sentTo: (email) => `If ${email} can be used, an e-mail with the link is on its way.`,
  sentHelp: "The link is valid for 1 hour, and once. If it does not come within minutes, look into the spam folder.",
  again: "Send again",
  againIn: (seconds) => `Send again in ${seconds} s`,
  otherAddress: "Use another address",
  toSignIn: "Back to signing in",
};
export default en;
