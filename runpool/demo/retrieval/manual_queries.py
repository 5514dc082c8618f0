"""Queries that a person wrote for the demo's topics after a short look at the collection: the only manual run."""

MANUAL_QUERIES = {
    "1": "puncture flat inner tube patch",
    "2": "child seat trailer cargo bike",
    "3": "learn to ride lesson balance",
    "4": "winter ice snow frost",
    "5": "stolen thief lock",
    "6": "chain oil wear",
    "7": "battery range charging",
    "8": "cycle lane junction traffic speed",
    "9": "tour panniers luggage list",
    "10": "brake squeal pads",
    "11": "rain jacket mudguard commute",
    "12": "velocipede penny-farthing history",
    "13": "lamp reflector dark visible",
    "14": "saddle knee numb hands",
    "15": "cargo bike delivery load",
    "16": "train coach folding bike flight",
}
