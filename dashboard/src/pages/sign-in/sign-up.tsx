export function SignUp() {
  return <h1>SignUp</h1>;
}
