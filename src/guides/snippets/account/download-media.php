$path = "/instances/" . getenv("INSTANCE_ID") . "/chats/5511900000002@c.us/messages?limit=50";
foreach (api("GET", $path)["data"] as ["media" => $media]) {
    if (isset($media["url"])) {
        echo $media["mimetype"], " ", strlen(file_get_contents($media["url"])), PHP_EOL;
    }
}
