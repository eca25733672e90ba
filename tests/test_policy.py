"""The policy of a page: what is written into it is allowed by its digest, and nothing else."""

import base64
import hashlib

import content_security

PAGE = (
    '<head><meta charset="utf-8" /><script>let a = "<b>&amp;";</script><script src="x.js"></script>'
    '</head><body><button onclick="go(&quot;on&quot;)">x</button>'
    "<pre>&lt;script&gt;no()&lt;/script&gt;</pre>{}</body>"
)


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def rules(page):
    parts = (rule.split(" ", 1) for rule in content_security.policy(page).split("; "))
    return {name: values.split(" ") for name, values in parts}


def test_inline_scripts_and_handlers_are_allowed_by_digest_alone():
    inline = [digest('let a = "<b>&amp;";'), digest('go("on")')]
    assert rules(PAGE)["script-src"] == ["'self'", "'unsafe-hashes'", *inline]
    assert rules("<head></head>")["script-src"] == ["'self'"]
    found = content_security.policy("<head></head>", ['go("on")'])  # another page's handler
    assert f"script-src 'self' 'unsafe-hashes' {inline[1]};" in found


def test_a_page_with_a_form_may_compile_webassembly():
    assert "'wasm-unsafe-eval'" in rules(PAGE.format('<form data-kv-app="1.1">'))["script-src"]


def test_nothing_comes_from_another_site():
    found = rules(PAGE)
    assert found["default-src"] == ["'none'"]
    sources = {source for values in found.values() for source in values}
    assert not any("//" in source or source in ("*", "https:", "http:") for source in sources)
    assert found["connect-src"] == ["'self'"] and "'unsafe-inline'" not in found["script-src"]
