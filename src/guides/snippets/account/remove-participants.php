$path = "/instances/" . getenv("INSTANCE_ID") . "/groups/" . getenv("GROUP_ID") . "/participants/remove";
print_r(api("POST", $path, ["participants" => ["5511900000002"]])["data"]);
