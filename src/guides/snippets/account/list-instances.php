$instances = [];
for ($cursor = ""; $cursor !== null; ) {
    $page = api("GET", "/instances?limit=200" . ($cursor === "" ? "" : "&cursor=" . urlencode($cursor)));
    $instances = array_merge($instances, $page["data"]);
    $cursor = $page["next_cursor"];
}
