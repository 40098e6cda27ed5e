export function LoggedRequest() {
  return <h1>LoggedRequest</h1>;
}
