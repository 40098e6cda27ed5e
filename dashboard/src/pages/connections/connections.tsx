export function Connections() {
  return <h1>Connections</h1>;
}
