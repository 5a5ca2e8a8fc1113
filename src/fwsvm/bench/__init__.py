"""`make bench`: our training times next to those of other SVM trainers.

`race` compares times to equal accuracy and to equal gaps; `peers` compares the papers' stopping rule with SVC.
"""
