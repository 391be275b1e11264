/// The frame of report pages.
enum ReportPage {
  private static let style = """
    :root{color-scheme:light dark;\(ReportPalette.light.style);--grid:#dddddd;--shade:#f1f1f1}\
    @media(prefers-color-scheme:dark){:root{\(ReportPalette.dark.style);--grid:#3a3a3a;\
    --shade:#232323}}\
    body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:900px;padding:0 1rem;\
    color:var(--text);background:var(--back);overflow-wrap:anywhere}\
    h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}\
    .wide{overflow-x:auto}.wide table{overflow-wrap:normal}table{border-collapse:collapse}\
    td,th{padding:.2rem .9rem .2rem 0;text-align:left;vertical-align:top;\
    font-variant-numeric:tabular-nums}th{font-weight:600}.wide td,.wide th{white-space:nowrap}\
    .plain td,.plain th{white-space:normal}.plain th:first-child{min-width:6rem}\
    figure{margin:1.5rem 0;overflow-x:auto}figcaption{font-weight:600}\
    svg{width:100%;min-width:540px;height:auto}svg text{font-size:11px;fill:var(--faint)}\
    svg .legend{font-size:12px;font-weight:600}svg .y{text-anchor:end;dominant-baseline:middle}\
    svg .x{text-anchor:middle}svg .late{text-anchor:end}svg path{fill:none;stroke-width:1.6}\
    svg .grid{stroke:var(--grid)}svg .mark{stroke:var(--faint);stroke-dasharray:4 3}\
    .differs{font-weight:600}svg .shade{fill:var(--shade)}\
    \((0..<ReportPalette.lineCount).map { "path.c\($0){stroke:var(--c\($0))}svg text.c\($0){fill:var(--c\($0))}" }.joined())\
    .verdict{border:1px solid;border-left-width:6px;border-radius:4px;padding:.6rem 1rem}\
    .verdict p{margin:0 0 .4rem;font-weight:600;font-size:1.1rem}.verdict.met{border-color:var(--good)}\
    .verdict.missed{border-color:var(--bad)}.met{color:var(--good)}\
    .missed{color:var(--bad);font-weight:600}.verdict.met,.verdict.missed{color:inherit}\
    .verdict.missed{font-weight:400}.verdict.met p{color:var(--good)}\
    .verdict.missed p{color:var(--bad)}small,.note{color:var(--faint)}
    """

  /// Returns a self-contained page.
  ///
  /// - Parameter title: The unescaped text.
  static func text(title: String, _ body: String) -> String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <title>\(HTMLEscaping.escaped(title))</title>
    <style>\(style)</style></head><body>
    <h1>\(HTMLEscaping.escaped(title))</h1>
    \(body)</body></html>

    """
  }

  /// Returns a table of unescaped names and values.
  static func table(_ rows: [(name: String, value: String)]) -> String {
    let cells = rows.map { name, value in
      "<tr><th>\(HTMLEscaping.escaped(name))</th><td>\(HTMLEscaping.escaped(value))</td></tr>"
    }
    return "<div class=\"wide plain\"><table>\(cells.joined())</table></div>\n"
  }
}
