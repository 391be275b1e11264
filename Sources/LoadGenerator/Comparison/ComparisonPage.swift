/// A comparison as a self-contained HTML page.
package struct ComparisonPage {
  private let comparison: RunComparison

  package init(_ comparison: RunComparison) {
    self.comparison = comparison
  }

  /// The page.
  package var text: String {
    ReportPage.text(
      title: "Two load tests",
      """
      \(warning)<h2>Figures</h2>
      \(figures)<p class="note">B / A is the figure of run B as a multiple of that of run A. Each column is a \
      single run: repeat both before taking a small difference for an effect. –: not measured, or too \
      few samples.</p>
      <h2>Settings</h2>
      \(table(comparison.settings))<h2>Runs</h2>
      \(table(comparison.origins))
      """)
  }

  private var warning: String {
    guard let warning = comparison.warning else { return "" }
    return "<div class=\"verdict missed\"><p>\(HTMLEscaping.escaped(warning))</p></div>\n"
  }

  private var figures: String {
    let rows = comparison.rows.map { row in
      let cells = row.texts.map { "<td>\(HTMLEscaping.escaped($0))</td>" }.joined()
      return "<tr><th>\(HTMLEscaping.escaped(row.name))</th>\(cells)</tr>"
    }
    return "<div class=\"wide plain\"><table><tr><th></th><th>A</th><th>B</th><th>B / A</th></tr>"
      + "\(rows.joined())</table></div>\n"
  }

  private func table(_ circumstances: [RunComparison.Circumstance]) -> String {
    let rows = circumstances.map { circumstance in
      let kind = circumstance.isSame ? "" : " class=\"differs\""
      let cells = [circumstance.first, circumstance.second].map {
        "<td\(kind)>\(HTMLEscaping.escaped($0))</td>"
      }
      return "<tr><th>\(HTMLEscaping.escaped(circumstance.name))</th>\(cells.joined())</tr>"
    }
    return "<div class=\"wide plain\"><table><tr><th></th><th>A</th><th>B</th></tr>"
      + "\(rows.joined())</table></div>\n"
  }
}
