// SPDX-License-Identifier: Apache-2.0
//
// What a study is billed by. A new price is for what is handed over from now on: attempts of before
// keep the price that they were handed over by. What ran before there was any price goes by the
// first one.
#include "orchestrator/store/database.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

Result<void> StudyStore::set_study_price(RowId study, const SitePrice& price) {
  TRY_ASSIGN(auto transaction, db_.begin());
  TRY_ASSIGN(const StudyRow now, study_row(study));
  const bool same = now.price.text == price.text && now.price.item == price.item;
  if (!same && !now.price.text.empty()) {
    TRY_ASSIGN(const std::vector<SitePrice> earlier, earlier_prices(study));
    const auto number = static_cast<std::int64_t>(earlier.size()) + 1;
    TRY_ASSIGN(const int billed,
               db_.run("UPDATE attempts SET price = ? WHERE price = 0 AND submissions > 0"
                       " AND run IN (SELECT id FROM runs WHERE study = ?)",
                       number, study));
    if (billed > 0) {
      TRY(
          db_.run("INSERT INTO earlier_prices (study, number, path, item, text)"
                  " VALUES (?, ?, ?, ?, ?)",
                  study, number, now.price.book, now.price.item, now.price.text));
    }
  }
  TRY(db_.run("UPDATE studies SET price_path = ?, price_item = ?, price_text = ? WHERE id = ?",
              price.book, price.item, price.text, study));
  return transaction.commit();
}

Result<std::vector<SitePrice>> StudyStore::earlier_prices(RowId study) {
  TRY_ASSIGN(auto row, db_.query("SELECT path, item, text FROM earlier_prices WHERE study = ?"
                                 " ORDER BY number",
                                 study));
  std::vector<SitePrice> found;
  for (;;) {
    TRY_ASSIGN(const bool there, row.next());
    if (!there) return found;
    SitePrice& price = found.emplace_back();
    row.read(price.book, price.item, price.text);
  }
}

}  // namespace kneepoint
