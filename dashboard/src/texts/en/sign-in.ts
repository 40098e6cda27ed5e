// Texts of signing in and up, and of a forgotten password.
import type pt from "../pt/sign-in.ts";
import type { Texts } from "../catalog.ts";

const en: Texts<typeof pt> = {
  signIn: "Sign in",
  signInTo: "Sign in to the dashboard",
  email: "Email",
  password: "Password",
  wrong: "Wrong email or password.",
  wrongHelp: "Forgot your password, or haven't confirmed your email yet? Get a link.",
  unverified: "This email hasn't been confirmed yet.",
  resend: "Send the email again",
  forgotLink: "Forgot password",
  signUpLink: "Create an account",
  haveAccount: "Have an account?",
  noAccount: "No account yet?",
  withIssuer: (name) => `Sign in with ${name}`,
  issuerText: "This service uses your organisation's identity provider.",
  issuerFailed: "The identity provider couldn't sign you in.",
  signedOut: "You've signed out.",
  signUp: "Create an account",
  name: "Your name",
  signUpText: "We'll send you a link to confirm your email and choose a password.",
  forgot: "Forgot password",
  forgotText: "We'll send you a link to choose a new password.",
  send: "Send link",
  sent: "Check your email",
  sentTo: (email) => `If ${email} can be used here, you'll get an email with the link.`,
  sentHelp: "The link works once, within 1 hour. If it doesn't arrive in a few minutes, check your spam folder.",
  again: "Send again",
  againIn: (seconds) => `Send again in ${seconds} s`,
  otherAddress: "Use another address",
  toSignIn: "Back to sign in",
};
export default en;
