"""fwsvm"""
